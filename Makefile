# avogit. `make help` says what there is.

BUILD  ?= build
PREFIX ?= /usr/local
CC     ?= cc

# Of the sources, as git describes them; asked when a recipe wants it.
VERSION = $(call once,VERSION,$(shell dist/version.sh))
# What the pages of the manual say as their date.
DATE    := November 24, 2026

.DEFAULT_GOAL := all

# What is needed, as Debian and Ubuntu name it; to build and run, to test, for
# `make bundle`, for `make check` and for `make test-fresh`.
PACKAGES_BUILD := build-essential pkg-config git libgit2-dev \
	libcurl4-openssl-dev libcjson-dev libyaml-dev libffi-dev \
	libseccomp-dev libssl-dev libsqlite3-dev libxxhash-dev zlib1g-dev libncurses-dev \
	bubblewrap libopenblas-dev
PACKAGES_TEST  := libcmocka-dev sharness perl poppler-utils tmux
PACKAGES_BUNDLE := patchelf
PACKAGES_CHECK := mandoc zsh fish clang clang-format clang-tidy cppcheck python3-prometheus-client
PACKAGES_FRESH := mmdebstrap
# Other languages: never needed for anything else, so not part of `make deps`.
PACKAGES_LANGUAGES := pocl-opencl-icd ocl-icd-opencl-dev opencl-headers \
	mesa-vulkan-drivers libvulkan-dev glslang-tools python3-torch

# A server that listens once it is installed, so not part of `make deps`, either.
PACKAGES_LAUNCH := openssh-server
# 80 MB.
PACKAGES_BROWSER := chromium
# The same of a cluster; tests/cli/slurm starts one of its own.
PACKAGES_SLURM := slurm-wlm munge iproute2

.PHONY: deps deps-browser deps-check deps-fresh deps-languages deps-launch deps-slurm
deps:
	@tests/deps.sh $(PACKAGES_BUILD) $(PACKAGES_TEST) $(PACKAGES_BUNDLE)
deps-check: deps
	@tests/deps.sh $(PACKAGES_CHECK)
deps-fresh:
	@tests/deps.sh $(PACKAGES_FRESH)
deps-languages:
	@tests/deps.sh $(PACKAGES_LANGUAGES)
deps-launch:
	@tests/deps.sh $(PACKAGES_LAUNCH)
deps-browser:
	@tests/deps.sh $(PACKAGES_BROWSER)
deps-slurm:
	@tests/deps.sh $(PACKAGES_SLURM)

# Compiling takes every CPU where -j is not said.
jobs = $(if $(filter -j% --jobserver%,$(MAKEFLAGS)),,-j$(shell nproc))

# Packages come first, with -j too: what else is asked for in the same command
# (`make -j8 deps demo`) is made by a second make, once they are there.
PACKAGE_GOALS := $(filter deps deps-%,$(MAKECMDGOALS))
OTHER_GOALS   := $(filter-out $(PACKAGE_GOALS),$(MAKECMDGOALS))
ifneq ($(and $(PACKAGE_GOALS),$(OTHER_GOALS)),)
.PHONY: $(OTHER_GOALS) with-packages
$(OTHER_GOALS): with-packages ;
with-packages: $(PACKAGE_GOALS)
	@$(MAKE) --no-print-directory $(if $(word 2,$(OTHER_GOALS)),,$(jobs)) $(OTHER_GOALS)
else

# SAN=address,undefined builds with sanitizers, in a folder of its own. That compiles
# twice as fast with less of optimisation, and with what a trace needs (-g1).
ifdef SAN
SANFLAGS := -fsanitize=$(SAN) -fno-omit-frame-pointer -fno-sanitize-recover=all -O1 -g1
endif

WARN := -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wvla \
	-Wstrict-prototypes -Wmissing-prototypes -Wold-style-definition \
	-Wwrite-strings -Wpointer-arith -Wundef -Wformat=2
# Warnings are errors in `make check` only, which sets this: another compiler
# warns of other things, and its user wants a program.
WERROR :=
HARDEN := -fstack-protector-strong -fPIE
ifndef SAN
HARDEN += -D_FORTIFY_SOURCE=2
endif
# Hidden: a name of ours must not take the place of the same name inside a
# library (libyaml has a yaml_free, libcom_err an error_message).
BASEFLAGS = $(need_compiler)-fvisibility=hidden -std=c11 -D_GNU_SOURCE -I. -I$(BUILD) -O2 -g $(WARN) $(WERROR) $(HARDEN) \
	$(SANFLAGS) -MMD -MP
# The id of the build is what the cache of a run is sealed with (cache.h).
LINK := $(SANFLAGS) -pie -Wl,--build-id -Wl,-z,relro,-z,now -Wl,--as-needed

Q = $(if $(V),,@)
say = $(if $(V),,@printf '  %-5s %s\n' $(1) $(2))

# Headers and libraries only where a layer may see them (see `layers`).
core_uses     := libcjson yaml-0.1 libseccomp libcrypto
gitstore_uses := libgit2 libxxhash zlib
scorer_uses   := libffi
agent_uses    := libcurl sqlite3
cmd_uses      := ncursesw
date_flag     := -DAVOGIT_DATE='"$(DATE)"'
USES := $(core_uses) $(gitstore_uses) $(scorer_uses) $(agent_uses) $(cmd_uses)

# pkg-config is asked when the first recipe wants its answer, and then never
# again: `make help` and `make deps` work where there is none.
once = $(eval $(1) := $(2))$($(1))
pc_flags = $(shell pkg-config --cflags $($(1)_uses))
pc_libs  = $(shell pkg-config --libs $($(1)_uses))

core_flags     = $(call once,core_flags,$(call pc_flags,core))
gitstore_flags = $(call once,gitstore_flags,$(call pc_flags,gitstore))
scorer_flags   = $(call once,scorer_flags,$(call pc_flags,scorer))
agent_flags    = $(call once,agent_flags,$(call pc_flags,agent))
cmd_flags      = $(call once,cmd_flags,$(call pc_flags,cmd) $(date_flag))
core_libs      = $(call once,core_libs,$(call pc_libs,core) $(shell $(CXX) -print-file-name=libsupc++.a) -lm)
gitstore_libs  = $(call once,gitstore_libs,$(call pc_libs,gitstore))
scorer_libs    = $(call once,scorer_libs,$(call pc_libs,scorer))
agent_libs     = $(call once,agent_libs,$(call pc_libs,agent))
cmd_libs       = $(call once,cmd_libs,$(call pc_libs,cmd))

# One sentence instead of a compiler's errors; part of every compile, and of
# every test. $(call need,A TEST,THE GOAL THAT MENDS IT,PACKAGES)
need = $(if $(shell { $(1); } >/dev/null 2>&1 && echo yes),,$(error $(shell tests/deps.sh --missing $(2) $(3))))
need_compiler  = $(call once,need_compiler,$(call need,\
	command -v cc && pkg-config --exists $(USES),deps,$(PACKAGES_BUILD)))
need_tests     = $(call once,need_tests,$(call need,\
	pkg-config --exists cmocka && command -v prove && ls /usr/share/sharness/sharness.sh,deps,$(PACKAGES_TEST)))
need_checkers  = $(call once,need_checkers,$(call need,\
	command -v clang && command -v clang-format && command -v clang-tidy && command -v cppcheck,deps-check,$(PACKAGES_CHECK)))

LAYERS := core gitstore scorer agent cmd
# The C of a layer, or its headers: on its top and in its modules.
sources = $(wildcard $(1)/*.$(2) $(1)/*/*.$(2))
objects = $(patsubst %.c,$(BUILD)/%.o,$(filter-out $(RUNNER_OWN) $(RUNNERS_OWN) $(FORBID_OWN),$(call sources,$(1),c)))

# The runner is a program of its own that lives inside the sandbox; avogit
# carries it in its own image.
RUNNER_OWN := $(wildcard scorer/runner/*.c scorer/runner_gpu/*.c)
# What the runner of Python loads; avogit carries it, too.
FORBID_OWN := scorer/runner_python/forbid.c
FORBID     := $(BUILD)/scorer/runner_python/forbid.so
# Programs of their own, too (below).
RUNNERS_OWN := $(wildcard scorer/runners/*.c)
RUNNER_SRC := $(RUNNER_OWN) core/base/base.c core/base/dtype.c
RUNNER     := $(BUILD)/avogit-runner

UNIT := $(patsubst tests/unit/%.c,$(BUILD)/tests/unit/%,$(wildcard tests/unit/*/*.c))
AVOGIT := $(BUILD)/avogit

.PHONY: all runners help test test-all jobs test-gpu test-slurm test-sdk test-clients test-llama test-browser test-fresh fuzz gpu-kernels unit cli \
	fuzzers asan-programs tested lint check format layers held house exports warnings everything tidy \
	cppcheck asan bench bench-gpu demo \
	install uninstall bundle deb dist clean
all: $(AVOGIT) $(BUILD)/git-avogit runners

help:
	@sed -n 's/^## //p' Makefile

$(AVOGIT): $(foreach l,cmd agent scorer gitstore core,$(BUILD)/lib$(l).a)
	$(call say,LD,$@)
	$(Q)$(CC) $(LINK) -o $@ $^ $(cmd_libs) $(agent_libs) $(gitstore_libs) $(core_libs) -ldl

$(BUILD)/git-avogit: $(AVOGIT)
	$(Q)ln -sf avogit $@

# What a layer carries besides its own C.
scorer_more := $(BUILD)/scorer/runner_program.o
cmd_more    := $(addprefix $(BUILD)/cmd/,skill_image.o completion_image.o import_image.o export/image.o report/image.o)
agent_more  := $(BUILD)/agent/knowledge/notes_image.o $(BUILD)/agent/llm/prompts_image.o

define layer_rules
$(BUILD)/lib$(1).a: $(call objects,$(1)) $($(1)_more)
	$$(call say,AR,$$@)
	$$(Q)rm -f $$@ && ar qcs $$@ $$^
$(BUILD)/$(1)/%.o: $(1)/%.c
	@mkdir -p $$(@D)
	$$(call say,CC,$$<)
	$$(Q)$$(CC) $$(BASEFLAGS) $$($(1)_flags) $$(CFLAGS) -c -o $$@ $$<
endef
$(foreach l,$(LAYERS),$(eval $(call layer_rules,$(l))))

# What says the version is compiled again where it is another.
SAYS_VERSION := $(addprefix $(BUILD)/,cmd/main.o cmd/export/trace.o cmd/export/facts.o agent/provider/http.o \
	agent/mcp/protocol.o)
$(SAYS_VERSION): BASEFLAGS += -DAVOGIT_VERSION='"$(VERSION)"'
$(SAYS_VERSION): $(BUILD)/version
.PHONY: ask
$(BUILD)/version: ask
	@mkdir -p $(@D)
	@echo '$(VERSION)' | cmp -s - $@ || echo '$(VERSION)' >$@

# The runner links libc, libm, libdl and libffi only, and never a sanitizer:
# it runs other people's code under limits that sanitizers cannot live with.
RUNNER_FLAGS = $(filter-out $(SANFLAGS),$(BASEFLAGS)) $(scorer_flags)
$(RUNNER): $(RUNNER_SRC:%.c=$(BUILD)/runner/%.o) $(BUILD)/runner/scorer/runner_gpu/kernels_text.o
	$(call say,LD,$@)
	$(Q)$(CC) -pie -Wl,-z,relro,-z,now -o $@ $^ -Wl,-Bstatic -lffi -Wl,-Bdynamic -ldl -lm -lpthread
$(BUILD)/runner/%.o: %.c
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) $(RUNNER_FLAGS) -O3 $(CFLAGS) -c -o $@ $<
$(BUILD)/runner/scorer/runner_gpu/kernels_text.o: scorer/runner_gpu/kernels_text.S $(wildcard scorer/runner*/*.ptx)
	@mkdir -p $(@D)
	$(Q)$(CC) -c -o $@ $<
# Its parts, for the unit tests of the scorer.
$(BUILD)/librunner.a: $(patsubst %.c,$(BUILD)/runner/%.o,$(filter-out %/main.c,$(RUNNER_OWN))) \
		$(BUILD)/runner/scorer/runner_gpu/kernels_text.o
	$(call say,AR,$@)
	$(Q)rm -f $@ && ar qcs $@ $^
# Loaded into Python, whose functions it calls: no library is linked, and nothing
# but what runner.py calls is seen.
$(FORBID): $(FORBID_OWN)
	@mkdir -p $(@D)
	$(call say,LD,$@)
	$(Q)$(CC) $(filter-out $(SANFLAGS),$(BASEFLAGS)) -fPIC $(CFLAGS) -shared -s -Wl,-z,relro,-z,now -o $@ $<
$(BUILD)/scorer/runner_program.o: $(RUNNER) $(FORBID) scorer/runner_program.S scorer/runner_python/runner.py
	$(Q)$(CC) -DPROGRAM='"$(RUNNER)"' -DFORBID='"$(FORBID)"' -c -o $@ scorer/runner_program.S

# The notes of the knowledge base. The list is written again when a note comes
# or goes.
NOTES := $(sort $(wildcard agent/knowledge/notes/*.md))
# A folder; make must not take it for a program of knowledge.c.
agent/knowledge/notes: ;
$(BUILD)/agent/knowledge/notes.list: agent/knowledge/notes $(NOTES)
	@mkdir -p $(@D)
	$(Q)printf 'note "%s", "%s"\n' $(foreach n,$(NOTES),$(notdir $n) $n) >$@
$(BUILD)/agent/knowledge/notes_image.o: $(BUILD)/agent/knowledge/notes.list agent/knowledge/notes_image.S
	@mkdir -p $(@D)
	$(Q)$(CC) -DNOTES='"$<"' -c -o $@ agent/knowledge/notes_image.S

# What a model is told, in the same way.
PROMPTS := $(sort $(wildcard agent/llm/prompts/*.md))
$(BUILD)/agent/llm/prompts.list: agent/llm/prompts $(PROMPTS)
	@mkdir -p $(@D)
	$(Q)printf 'prompt "%s", "%s"\n' $(foreach p,$(PROMPTS),$(notdir $p) $p) >$@
agent/llm/prompts: ;
$(BUILD)/agent/llm/prompts_image.o: $(BUILD)/agent/llm/prompts.list agent/llm/prompts_image.S
	@mkdir -p $(@D)
	$(Q)$(CC) -DPROMPTS='"$<"' -c -o $@ agent/llm/prompts_image.S

# What `avogit skill` writes.
$(BUILD)/cmd/skill_image.o: dist/SKILL.md cmd/skill_image.S
	@mkdir -p $(@D)
	$(Q)$(CC) -DSKILL='"$<"' -c -o $@ cmd/skill_image.S

# What `avogit help --completion` prints.
$(BUILD)/cmd/completion_image.o: $(wildcard dist/completions/*) cmd/completion_image.S
	@mkdir -p $(@D)
	$(Q)$(CC) -c -o $@ cmd/completion_image.S

# What `avogit import` runs in the sandbox, and what it writes.
$(BUILD)/cmd/import_image.o: $(wildcard cmd/import/*.py) cmd/import_image.S
	@mkdir -p $(@D)
	$(Q)$(CC) -c -o $@ cmd/import_image.S

# What `avogit export` writes as it is.
$(BUILD)/cmd/export/image.o: cmd/export/image.S $(wildcard cmd/export/files/*)
	@mkdir -p $(@D)
	$(Q)$(CC) -Icmd/export/files -c -o $@ cmd/export/image.S

# The style and the script of `avogit report`.
$(BUILD)/cmd/report/image.o: cmd/report/image.S $(wildcard cmd/report/files/*)
	@mkdir -p $(@D)
	$(Q)$(CC) -Icmd/report/files -c -o $@ cmd/report/image.S

.SECONDEXPANSION:

# Runners of other languages: programs of their own, without sanitizers as the one
# above. Each is built where its library is.
RUNNERS_SRC := scorer/runners/runner.c scorer/runners/geometry.c core/task/expr.c \
	$(patsubst %,core/base/%.c,base buf dtype error file json json_text random strvec text utf8)
runner_libs = $(shell pkg-config --libs $(1) 2>/dev/null)
opencl_libs = $(call once,opencl_libs,$(call runner_libs,OpenCL))
vulkan_libs = $(call once,vulkan_libs,$(call runner_libs,vulkan))
LANGUAGES   = $(call once,LANGUAGES,$(foreach l,opencl vulkan,$(if $($(l)_libs),$(l))))
no_headers  = $(patsubst %,scorer/runners/%.c,$(filter-out $(LANGUAGES),opencl vulkan))
RUNNERS     = $(LANGUAGES:%=$(BUILD)/libexec/avogit/avogit-runner-%)
runners: $$(RUNNERS)
.SECONDARY: $(RUNNERS_SRC:%.c=$(BUILD)/runners/%.o) $(patsubst %,$(BUILD)/runners/scorer/runners/%.o,opencl vulkan)
$(BUILD)/libexec/avogit/avogit-runner-%: $(BUILD)/runners/scorer/runners/%.o $(RUNNERS_SRC:%.c=$(BUILD)/runners/%.o)
	@mkdir -p $(@D)
	$(call say,LD,$@)
	$(Q)$(CC) -pie -Wl,-z,relro,-z,now -Wl,--as-needed -o $@ $^ $($*_libs) $(runner_exports) \
		$(core_libs) -ldl
# Symbols that PoCL is to find here (opencl.c).
%-opencl: runner_exports = $(addprefix -Wl$(comma)--export-dynamic-symbol=,dlopen dlsym fdatasync fopen)
comma := ,
$(BUILD)/runners/%.o: %.c
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) $(filter-out $(SANFLAGS),$(BASEFLAGS)) $(core_flags) $(CFLAGS) -c -o $@ $<

# Unit tests: tests/unit/<layer>/test_*.c link their own layer and core only,
# so that a call a layer must not make does not link; those of cmd the store, too.
below = $(patsubst %,$(BUILD)/lib%.a,$(if $(filter scorer/%,$(1)),runner) $(if $(filter cmd/%,$(1)),gitstore) core)
$(BUILD)/tests/unit/%: tests/unit/%.c $$(BUILD)/lib$$(firstword $$(subst /, ,$$*)).a $$(call below,$$*)
	@mkdir -p $(@D)
	$(call say,TEST,$@)
	$(Q)$(need_tests)$(CC) $(BASEFLAGS) $($(firstword $(subst /, ,$*))_flags) $(CFLAGS) $(LINK) \
		-o $@ $< $(filter %.a,$^) $($(firstword $(subst /, ,$*))_libs) \
		$(if $(filter cmd/%,$*),$(gitstore_libs)) $(core_libs) -lcmocka

# What the tests talk to instead of a model: tests/model-server/README.md.
MODEL_SERVER := $(BUILD)/tests/model-server/model-server
$(MODEL_SERVER): $(patsubst %.c,$(BUILD)/%.o,$(wildcard tests/model-server/*.c)) $(BUILD)/libcore.a
	$(call say,LD,$@)
	$(Q)$(CC) $(LINK) -o $@ $^ $(core_libs) -lz
$(BUILD)/tests/model-server/%.o: tests/model-server/%.c
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) $(BASEFLAGS) $(CFLAGS) -c -o $@ $<

## make               builds build/avogit
## make deps          installs what building and testing needs (Debian, Ubuntu);
##                    make deps-languages: OpenCL, Vulkan and PyTorch for CPUs, for a
##                    task in one of them and for its tests; make deps-launch: a
##                    server for the test of launches by ssh; make deps-slurm: the
##                    same for those by Slurm
## make demo          evolves a matrix multiply in a scratch repository
## make test          unit tests and most command-line tests (five minutes);
##                    PART=gitstore/sync: the unit tests of a module (or a layer);
##                    PART=evolve: a folder of tests/cli
## make test-all      those that take long too
## make jobs          ten journeys of a user, from init to a commit of the winner, with what
##                    was typed and how long it took; JOBS="crc sad": some
## make test-gpu      the GPU part of the corpus, where there is a GPU
## make test-slurm    launches by a real Slurm of four nodes on this machine (root; see
##                    deps-slurm); SLURM_TEST_ATTEMPTS=30: so many attempts, of 60
## make test-sdk      official clients from npm against what we serve; the action; test-browser
## make test-clients  real coding agents from npm (1 GB) with the printed configurations
## make test-llama    a hundred replies of nonsense from llama.cpp's server (LLAMA_SERVER,
##                    or built in three minutes of what npm has)
## make test-browser  the report of a run in headless Chromium (make deps-browser)
## make test-fresh    deps, demo and test on minimal Debian systems (root; see deps-fresh)
## make fuzz          each parser of what others send (FUZZ_SECONDS=600: each so long)
## make check         format, layers, held, exports, warnings, clang-tidy, cppcheck, fuzz
##                    (see deps-check)
## make house         files and lines of each module, cycles, exports, long functions
## make asan          the tests under address and undefined-behaviour sanitizers
## make bench-gpu     the figures on a GPU; PART="examples cost" for some
## make bench         prints the figures: area.name value unit goal ok|SHORT;
##                    PART=tuner, PART=parallel: only those
## make bundle        a folder, and a .tar.gz, that run where nothing is installed
## make dist          into build/dist: sources, the bundle, a .deb and a Containerfile;
##                    make deb: only the package
## make install       to PREFIX (default /usr/local), under DESTDIR; make uninstall

# A command-line test runs alone, since it may measure, in `make test` and under
# sanitizers, unless a line of its own says otherwise:
#     # test: parallel long no-asan
# parallel: beside others; no figure of its own decides. long: in `make test-all`
# only. no-asan: minutes of other people's programs, and of avogit little that
# others do not run too.
hash     := \#
marked    = $(shell grep -lE '^$(hash) test:.* $(1)( |$$)' tests/cli/*/t*.sh)
CLI_ALL  := $(wildcard tests/cli/*/t*.sh)
CLI      ?= $(CLI_ALL)
PARALLEL ?= $(call marked,parallel)
LONG      = $(call marked,long)
# How many at a time.
TEST_JOBS ?= 2
absolute = "$$(realpath -m $(1))"

# PART=gitstore or PART=gitstore/sync: the unit tests of a layer or a module,
# test_MODULE*.c and test_FILE.c of its files. Any other PART: a folder of
# tests/cli, or the scripts that have the word in their name.
ifdef PART
layer  := $(firstword $(subst /, ,$(PART)))
module := $(patsubst $(layer)/%,%,$(filter $(layer)/%,$(PART)))
UNIT   := $(filter $(addprefix $(BUILD)/tests/unit/$(layer)/,$(if $(module),test_$(module) test_$(module)_% \
	$(patsubst $(PART)/%.c,test_%,$(wildcard $(PART)/*.c)),%)),$(UNIT))
CLI    := $(sort $(filter tests/cli/$(PART)/%,$(CLI_ALL)) $(wildcard tests/cli/*/t*-$(PART).sh tests/cli/*/t*-$(PART)-*.sh))
tests_of = $(or $(UNIT)$(CLI),$(error no unit tests and no tests in tests/cli are of '$(PART)'))
endif

# One after the other, with -j too: they time things. WHICH=together: only what
# may run beside others, and beside anything else; WHICH=alone: the rest.
WHICH ?= together alone
ifdef PART
test:
	@: $(tests_of)
	$(if $(UNIT),@$(MAKE) --no-print-directory $(jobs) unit PART='$(PART)')
	$(if $(CLI),@$(MAKE) --no-print-directory $(jobs) cli CLI='$(CLI)' PART='$(PART)')
else
test:
	+@$(call unit_and_cli,$(filter-out $(LONG),$(CLI)))
endif
test-all:
	+@$(call unit_and_cli,$(CLI) tests/gpu/run.sh)
# AGAIN=no: what failed is not tried once more (tests/prove.sh).
export AGAIN
# Both, so that one call says all that fails.
unit_and_cli = failed=; $(MAKE) --no-print-directory $(jobs) unit || failed=1; \
	$(MAKE) --no-print-directory $(jobs) cli CLI='$(1)' || failed=1; [ -z "$$failed" ]

# $(call proved,NAME,JOBS,PROVE'S OPTIONS,TESTS): a command of a recipe; NAME is a
# word of WHICH and what the tests are.
proved = $(if $(and $(filter $(firstword $(1)),$(WHICH)),$(4)),tests/prove.sh \
	$(BUILD)/prove.$(lastword $(1)) $(2) $(3) $(PROVE_FLAGS) -- $(4) || failed=1;)

# Of the unit tests those of the scorer measure, and run alone.
SCORER_UNIT ?= $(filter $(BUILD)/tests/unit/scorer/%,$(UNIT))
unit: $(UNIT) $(MODEL_SERVER)
	@export CMOCKA_MESSAGE_OUTPUT=TAP; failed=; \
	$(call proved,together unit,$(TEST_JOBS),,$(filter-out $(SCORER_UNIT),$(UNIT))) \
	$(call proved,alone scorer-unit,1,,$(SCORER_UNIT)) \
	[ -z "$$failed" ]

# The long ones first: at the end no long one is left alone.
cli: together = $(filter $(PARALLEL),$(CLI))
cli: all $(MODEL_SERVER)
	@$(need_tests)export AVOGIT=$(call absolute,$(AVOGIT)); failed=; \
	$(call proved,together,$(TEST_JOBS),,$(filter $(LONG),$(together)) $(filter-out $(LONG),$(together))) \
	$(call proved,alone,1,,$(filter-out $(PARALLEL),$(CLI))) \
	[ -z "$$failed" ]

# Some of them are in test-all (tests/cli/jobs).
jobs: all
	@AVOGIT=$(call absolute,$(AVOGIT)) tests/jobs/run.sh $(JOBS)

# Where there is a GPU; the same script needs no prove.
test-gpu: all
	@AVOGIT=$(call absolute,$(AVOGIT)) tests/gpu/run.sh

# Part of test-all where Slurm is installed.
test-slurm: all
	@$(need_tests)AVOGIT=$(call absolute,$(AVOGIT)) prove $(PROVE_FLAGS) tests/cli/slurm/t*.sh

# The README's commands on systems of their first day. FRESH_CACHE keeps what was
# downloaded for the next time.
FRESH ?= bookworm trixie
FRESH_CACHE ?= $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/avogit-fresh
test-fresh:
	@FRESH_CACHE='$(FRESH_CACHE)' tests/fresh.sh $(FRESH)

# The vendors' own clients talk to the scripted model server, the official MCP
# client to `avogit mcp`, GitHub's own parser reads the action, and Chromium opens
# a report, where node is.
test-sdk: all $(MODEL_SERVER)
	@$(need_tests)AVOGIT=$(call absolute,$(AVOGIT)) prove $(PROVE_FLAGS) tests/sdk/mcp/run.sh tests/sdk/action/run.sh tests/sdk/schema/run.sh \
		tests/sdk/events/run.sh tests/browser/run.sh
	@MODEL_SERVER=$(call absolute,$(MODEL_SERVER)) tests/sdk/run.sh $(call absolute,$(BUILD)/tests/sdk)

# A gigabyte of packages: not part of test-sdk.
test-clients: all $(MODEL_SERVER)
	@$(need_tests)AVOGIT=$(call absolute,$(AVOGIT)) MODEL_SERVER=$(call absolute,$(MODEL_SERVER)) \
		prove $(PROVE_FLAGS) tests/sdk/clients.sh :: $(call absolute,$(BUILD)/tests/clients)

test-browser: all
	@$(need_tests)AVOGIT=$(call absolute,$(AVOGIT)) prove $(PROVE_FLAGS) tests/browser/run.sh

# The server of PATH or LLAMA_SERVER, else one built there; the model is made.
test-llama: all
	@$(need_tests)AVOGIT=$(call absolute,$(AVOGIT)) \
		prove $(PROVE_FLAGS) tests/sdk/llama/run.sh :: $(call absolute,$(BUILD)/tests/llama)

# Each parser of what others send, from the seeds in tests/fuzz/corpus; what a
# run finds is kept under build-fuzz. FUZZ_SECONDS is for all; without it the
# small ones have 10, the others 20. One input has a minute: those are seconds of
# the clock, and other things run beside it.
FUZZERS := $(patsubst tests/fuzz/fuzz_%.c,%,$(wildcard tests/fuzz/fuzz_*.c))
FUZZ_SHORT := claim cubin html interchange journal profile prototype reported runner scan tar tunables
FUZZ_SECONDS ?=
FUZZ_FLAGS := -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all -g1
fuzz_make = $(MAKE) --no-print-directory BUILD=build-fuzz CC=clang HARDEN= WARN= \
	SANFLAGS='$(FUZZ_FLAGS)'
fuzz:
	+@$(need_checkers)$(fuzz_make) -k $(FUZZERS:%=run-fuzz-%)
fuzzers:
	+@$(need_checkers)$(fuzz_make) $(FUZZERS:%=build-fuzz/fuzz_%)
run-fuzz-%: seconds = $(or $(FUZZ_SECONDS),$(if $(filter $*,$(FUZZ_SHORT)),10,20))
run-fuzz-%: $(BUILD)/fuzz_%
	@mkdir -p $(BUILD)/corpus/$*
	@$< -max_total_time=$(seconds) -timeout=60 -rss_limit_mb=2048 \
		-max_len=65536 -verbosity=0 -artifact_prefix=$(BUILD)/$*- \
		$(addprefix -dict=,$(wildcard tests/fuzz/$*.dict)) \
		$(BUILD)/corpus/$* tests/fuzz/corpus/$* >$(BUILD)/$*.log 2>&1 || \
		{ tail -n 50 $(BUILD)/$*.log; \
		echo "fuzz: $*: FAILED: $$(grep -m 1 ERROR: $(BUILD)/$*.log)"; exit 1; }
	@echo 'fuzz: $*: ok'
$(BUILD)/fuzz_claim: $(BUILD)/cmd/session/claim.o
$(BUILD)/fuzz_scan: $(addprefix $(BUILD)/cmd/scan/,hot.o parse.o parse_kernels.o)
$(BUILD)/fuzz_%: tests/fuzz/fuzz_%.c $(foreach l,agent scorer core,$(BUILD)/lib$(l).a)
	$(call say,FUZZ,$@)
	$(Q)$(CC) $(BASEFLAGS) $(agent_flags) $(scorer_flags) $(CFLAGS) \
		-fsanitize=fuzzer,address,undefined -pie -o $@ $(filter %.c %.o,$^) $(filter %.a,$^) \
		$(agent_libs) $(scorer_libs) $(core_libs)

# Only after a change of the .cu: the text is kept in the repository.
GPU_KERNELS := kernels:75 ceilings:75 ceilings_sm80:80 ceilings_sm90a:90a
gpu-kernels:
	for k in $(GPU_KERNELS); do \
		nvcc -ptx -I. -arch=compute_$${k#*:} -std=c++17 -O3 -o scorer/runner_gpu/$${k%:*}.ptx \
			scorer/runner_gpu/$${k%:*}.cu || exit; \
	done

# Aborts rather than reports a fault in a unit test, so that the sanitizer's
# own trace is seen. Two at a time: no test asks how long it took.
asan_make = $(MAKE) --no-print-directory BUILD=build-asan SAN=address,undefined
asan: asan-programs
	+@ASAN_OPTIONS=detect_leaks=1 UBSAN_OPTIONS=print_stacktrace=1 \
		CMOCKA_TEST_ABORT=1 \
		$(asan_make) SCORER_UNIT= PARALLEL='$(CLI_ALL)' CLI='$(filter-out $(call marked,no-asan),$(CLI))' test-all
asan-programs:
	+@$(asan_make) tested

demo: all
	@AVOGIT=$(call absolute,$(AVOGIT)) examples/demo.sh

SOURCES := $(foreach l,$(LAYERS),$(call sources,$(l),[ch])) \
	$(wildcard tests/unit/*/*.[ch] tests/bench/*.[ch] tests/model-server/*.[ch] tests/fuzz/*.[ch])

check: lint fuzz
# What runs nothing of ours.
lint: format layers held exports warnings cppcheck tidy

format:
	@$(need_checkers)clang-format --dry-run -Werror $(SOURCES)
	@echo 'format: ok'
layers:
	@tests/layers.sh
held:
	@tests/held-across-try.pl --faults tests/held
	@tests/held-across-try.pl $(LAYERS)
exports: all
	@tests/exports.sh $(BUILD)
house: all
	@tests/house.pl $(BUILD)
# CHECK_BUILD=build where all of that was compiled with WERROR=-Werror already.
CHECK_BUILD ?= build-check
warnings:
	@$(MAKE) --no-print-directory BUILD=$(CHECK_BUILD) WERROR=-Werror everything
	@echo 'warnings: ok'
cppcheck:
	@$(need_checkers)cppcheck --quiet --error-exitcode=1 --std=c11 -I. \
		--enable=warning,performance,portability --inline-suppr \
		--suppressions-list=tests/cppcheck-suppressions \
		$(filter %.c,$(filter-out tests/%,$(SOURCES)))
	@echo 'cppcheck: ok'
# Of 681 null dereferences planted in 44 files it finds the same 581 as with 75,000,
# in half the time; the analyzer's own limit is 225,000.
TIDY_NODES ?= 30000
tidy:
	@$(need_checkers)mkdir -p $(BUILD)
	@printf '%s\n' $(filter %.c,$(filter-out tests/% $(no_headers),$(SOURCES))) | \
		xargs -P 2 -n 1 clang-tidy --quiet --warnings-as-errors='*' 2>$(BUILD)/tidy.err \
		--extra-arg=-std=c11 --extra-arg=-D_GNU_SOURCE --extra-arg=-I. \
		--extra-arg=-DAVOGIT_VERSION='"0"' --extra-arg=-DAVOGIT_DATE='"0"' \
		$(addprefix --extra-arg=,-Xclang -analyzer-config -Xclang max-nodes=$(TIDY_NODES)) \
		$(foreach f,$(WARN) $(core_flags) $(gitstore_flags) $(scorer_flags) $(agent_flags),--extra-arg=$(f)) \
		|| { grep -v 'compilation.database' $(BUILD)/tidy.err; exit 1; }
	@echo 'clang-tidy: ok'

BENCH := $(patsubst tests/bench/%.c,$(BUILD)/tests/bench/%,$(filter-out %/steps.c %/space.c %/points.c,$(wildcard tests/bench/*.c)))
$(BUILD)/tests/bench/%: tests/bench/%.c tests/bench/steps.c tests/bench/space.c $(foreach l,agent scorer gitstore core,$(BUILD)/lib$(l).a)
	@mkdir -p $(@D)
	$(call say,LD,$@)
	$(Q)$(CC) $(BASEFLAGS) $(foreach l,$(LAYERS),$($(l)_flags)) $(CFLAGS) $(LINK) \
		-o $@ $(filter %.c %.o,$^) $(filter %.a,$^) $(agent_libs) $(scorer_libs) $(gitstore_libs) $(core_libs) -ldl

# The judge is part of the runner, with the runner's flags.
$(BUILD)/tests/bench/judge_bench: $(BUILD)/librunner.a $(BUILD)/runner/core/base/dtype.o
$(BUILD)/tests/bench/live_bench $(BUILD)/tests/bench/record_space: tests/bench/points.c

# Where there is a GPU, in parts of some minutes each; what is printed is kept.
BENCH_GPU := examples accuracy resolution-spin resolution-softmax resolution-matmul cost tuner
bench-gpu: all $(BUILD)/tests/bench/gpu_bench
	@for part in $(or $(PART),$(BENCH_GPU)); do AVOGIT=$(call absolute,$(AVOGIT)) BENCH=$(call absolute,$(BUILD)/tests/bench) \
		tests/bench/gpu.sh $$part | tee tests/results/gpu-$$part.txt; done

bench: all $(BENCH) $(MODEL_SERVER)
	@AVOGIT=$(call absolute,$(AVOGIT)) BENCH=$(call absolute,$(BUILD)/tests/bench) PART=$(PART) tests/bench/run.sh

# All that is compiled; what the tests run.
everything: tested $(BENCH)
tested: all $(UNIT) $(MODEL_SERVER)

BIN       := $(DESTDIR)$(PREFIX)/bin
SHARE     := $(DESTDIR)$(PREFIX)/share/avogit
LIBEXEC   := $(DESTDIR)$(PREFIX)/libexec/avogit
MAN1      := $(DESTDIR)$(PREFIX)/share/man/man1
# Where shells look for completions, below share; Debian's zsh has a folder of its
# own for packages (`make deb`).
BASH_COMPLETIONS := $(DESTDIR)$(PREFIX)/share/bash-completion/completions
ZSH_SITE         := zsh/site-functions
ZSH_COMPLETIONS   = $(DESTDIR)$(PREFIX)/share/$(ZSH_SITE)
FISH_COMPLETIONS := $(DESTDIR)$(PREFIX)/share/fish/vendor_conf.d
install: all
	install -d "$(BIN)" "$(SHARE)/knowledge"
	install -m 755 $(AVOGIT) "$(BIN)/avogit"
	ln -sf avogit "$(BIN)/git-avogit"
	for r in $(RUNNERS); do install -D -m 755 -t "$(LIBEXEC)" $$r || exit; done
	install -m 644 $(NOTES) "$(SHARE)/knowledge"
	install -m 644 dist/SKILL.md "$(SHARE)/SKILL.md"
	$(AVOGIT) help --schema >"$(SHARE)/task.schema.json"
	install -d "$(MAN1)"
	$(AVOGIT) help --mdoc >"$(MAN1)/avogit.1"
	ln -sf avogit.1 "$(MAN1)/git-avogit.1"
	for c in $$($(AVOGIT) help --list); do $(AVOGIT) help --mdoc $$c >"$(MAN1)/avogit-$$c.1" || exit; done
	install -D -m 644 dist/completions/avogit.bash "$(BASH_COMPLETIONS)/avogit"
	ln -sf avogit "$(BASH_COMPLETIONS)/git-avogit"
	install -D -m 644 dist/completions/_avogit "$(ZSH_COMPLETIONS)/_avogit"
	ln -sf _avogit "$(ZSH_COMPLETIONS)/_git-avogit"
	install -D -m 644 dist/completions/avogit.fish "$(FISH_COMPLETIONS)/avogit.fish"
uninstall:
	rm -f "$(BIN)/avogit" "$(BIN)/git-avogit" "$(SHARE)/SKILL.md" "$(SHARE)/task.schema.json" "$(SHARE)/knowledge/"*.md \
		"$(LIBEXEC)/avogit-runner-"* "$(MAN1)/avogit.1" "$(MAN1)/git-avogit.1" \
		"$(MAN1)/avogit-"*.1 "$(BASH_COMPLETIONS)/avogit" "$(BASH_COMPLETIONS)/git-avogit" \
		"$(ZSH_COMPLETIONS)/_avogit" "$(ZSH_COMPLETIONS)/_git-avogit" \
		"$(FISH_COMPLETIONS)/avogit.fish"
	! [ -d "$(LIBEXEC)" ] || rmdir --ignore-fail-on-non-empty "$(LIBEXEC)"
	! [ -d "$(SHARE)" ] || find "$(SHARE)" -depth -type d -empty -delete

# For a node where nothing can be installed (docs/gpu-nodes.md).
BUNDLE := $(BUILD)/avogit-bundle
bundle: all
	$(call say,DIST,$(BUNDLE))
	$(Q)dist/bundle.sh $(BUNDLE) $(VERSION) $(AVOGIT) $(RUNNER) $(RUNNERS)
	$(Q)dist/tar.sh $(BUNDLE) $(BUNDLE).tar.gz
	@du -sh --apparent-size $(BUNDLE) $(BUNDLE).tar.gz

# The sources are those of HEAD; the package holds what `make install` installs.
DIST := $(BUILD)/dist
dist: bundle deb
	$(Q)dist/source.sh $(VERSION) $(DIST)/avogit-$(VERSION).tar.gz
	$(Q)cp $(BUNDLE).tar.gz $(DIST)/avogit-bundle-$(VERSION).tar.gz
	$(Q)cp dist/Containerfile $(DIST)/
	@ls -l $(DIST)
deb: all
	$(call say,DIST,$(DIST))
	$(Q)rm -rf $(DIST) $(BUILD)/deb
	$(Q)$(MAKE) --no-print-directory install DESTDIR=$(BUILD)/deb PREFIX=/usr \
		ZSH_SITE=zsh/vendor-completions >/dev/null
	$(Q)dist/deb.sh $(BUILD)/deb $(VERSION) $(DIST)

clean:
	rm -rf build build-asan build-check build-fuzz

-include $(shell find $(BUILD) -name '*.d' -type f 2>/dev/null)

endif # packages first
