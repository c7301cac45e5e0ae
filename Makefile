# avogit. `make help` says what there is.

BUILD  ?= build
PREFIX ?= /usr/local
CC     ?= cc

PACKAGES := libgit2 libxxhash libcurl libcjson yaml-0.1 libffi libseccomp libcrypto sqlite3 zlib
VERSION  := 0.1.0

# SAN=address,undefined builds with sanitizers, in a folder of its own.
ifdef SAN
SANFLAGS := -fsanitize=$(SAN) -fno-omit-frame-pointer -fno-sanitize-recover=all
endif

WARN := -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wvla \
	-Wstrict-prototypes -Wmissing-prototypes -Wold-style-definition \
	-Wwrite-strings -Wpointer-arith -Wundef -Wformat=2 -Werror
HARDEN := -fstack-protector-strong -fPIE
ifndef SAN
HARDEN += -D_FORTIFY_SOURCE=2
endif
# Hidden: a name of ours must not take the place of the same name inside a
# library (libyaml has a yaml_free, libcom_err an error_message).
BASEFLAGS := -fvisibility=hidden -std=c11 -D_GNU_SOURCE -I. -I$(BUILD) -O2 -g $(WARN) $(HARDEN) \
	$(SANFLAGS) -MMD -MP -DAVOGIT_VERSION='"$(VERSION)"'
LINK := $(SANFLAGS) -pie -Wl,-z,relro,-z,now -Wl,--as-needed

Q = $(if $(V),,@)
say = $(if $(V),,@printf '  %-5s %s\n' $(1) $(2))

# Headers of each library only where its layer may see them (see `layers`).
pc = $(shell pkg-config --cflags $(1))
core_flags     := $(call pc,libcjson yaml-0.1 libseccomp libcrypto)
gitstore_flags := $(call pc,libgit2 libxxhash zlib)
scorer_flags   := $(call pc,libffi)
agent_flags    := $(call pc,libcurl sqlite3)

LAYERS := core gitstore scorer agent cmd
objects = $(patsubst %.c,$(BUILD)/%.o,$(wildcard $(1)/*.c))

core_libs     := $(shell pkg-config --libs libcjson yaml-0.1 libseccomp libcrypto) -lm
gitstore_libs := $(shell pkg-config --libs libgit2 libxxhash zlib)
scorer_libs   := $(shell pkg-config --libs libffi)
agent_libs    := $(shell pkg-config --libs libcurl sqlite3)

# The runner is a program of its own that lives inside the sandbox; avogit
# carries it in its own image.
RUNNER_SRC := $(wildcard scorer/runner/*.c) core/base.c core/dtype.c
RUNNER     := $(BUILD)/avogit-runner

UNIT := $(patsubst tests/unit/%.c,$(BUILD)/tests/unit/%,$(wildcard tests/unit/*/*.c))
AVOGIT := $(BUILD)/avogit

.PHONY: all help deps deps-check test test-gpu test-sdk fuzz gpu-kernels unit cli check format layers tidy \
	cppcheck asan bench bench-gpu demo install bundle clean
all: $(AVOGIT) $(BUILD)/git-avogit

help:
	@sed -n 's/^## //p' Makefile

$(AVOGIT): $(foreach l,cmd agent scorer gitstore core,$(BUILD)/lib$(l).a)
	$(call say,LD,$@)
	$(Q)$(CC) $(LINK) -o $@ $^ $(agent_libs) $(gitstore_libs) $(core_libs) -ldl

$(BUILD)/git-avogit: $(AVOGIT)
	$(Q)ln -sf avogit $@

# What a layer carries besides its own C.
scorer_more := $(BUILD)/scorer/runner_image.o
agent_more  := $(BUILD)/agent/notes_image.o $(BUILD)/agent/prompts_image.o

define layer_rules
$(BUILD)/lib$(1).a: $(call objects,$(1)) $($(1)_more)
	$$(call say,AR,$$@)
	$$(Q)rm -f $$@ && ar rcs $$@ $$^
$(BUILD)/$(1)/%.o: $(1)/%.c
	@mkdir -p $$(@D)
	$$(call say,CC,$$<)
	$$(Q)$$(CC) $$(BASEFLAGS) $$($(1)_flags) $$(CFLAGS) -c -o $$@ $$<
endef
$(foreach l,$(LAYERS),$(eval $(call layer_rules,$(l))))

# The runner links libc, libm, libdl and libffi only, and never a sanitizer:
# it runs other people's code under limits that sanitizers cannot live with.
RUNNER_FLAGS := $(filter-out $(SANFLAGS),$(BASEFLAGS)) $(scorer_flags)
$(RUNNER): $(RUNNER_SRC:%.c=$(BUILD)/runner/%.o) $(BUILD)/runner/scorer/runner/gpu_kernels_text.o
	$(call say,LD,$@)
	$(Q)$(CC) -pie -Wl,-z,relro,-z,now -o $@ $^ -Wl,-Bstatic -lffi -Wl,-Bdynamic -ldl -lm -lpthread
$(BUILD)/runner/%.o: %.c
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) $(RUNNER_FLAGS) -O3 $(CFLAGS) -c -o $@ $<
$(BUILD)/runner/scorer/runner/gpu_kernels_text.o: scorer/runner/gpu_kernels_text.S $(wildcard scorer/runner/*.ptx)
	@mkdir -p $(@D)
	$(Q)$(CC) -c -o $@ $<
# Its parts, for the unit tests of the scorer.
$(BUILD)/librunner.a: $(patsubst %.c,$(BUILD)/runner/%.o,$(filter-out core/% %/main.c,$(RUNNER_SRC))) \
		$(BUILD)/runner/scorer/runner/gpu_kernels_text.o
	$(call say,AR,$@)
	$(Q)rm -f $@ && ar rcs $@ $^
$(BUILD)/scorer/runner_image.o: $(RUNNER) scorer/runner_image.S
	$(Q)$(CC) -DIMAGE='"$(RUNNER)"' -c -o $@ scorer/runner_image.S

# The notes of the knowledge base. The list is written anew when a note comes
# or goes.
NOTES := $(sort $(wildcard agent/knowledge/*.md))
# A folder; make must not take it for a program of knowledge.c.
agent/knowledge: ;
$(BUILD)/agent/notes.list: agent/knowledge $(NOTES)
	@mkdir -p $(@D)
	$(Q)printf 'note "%s", "%s"\n' $(foreach n,$(NOTES),$(notdir $n) $n) >$@
$(BUILD)/agent/notes_image.o: $(BUILD)/agent/notes.list agent/notes_image.S
	$(Q)$(CC) -DNOTES='"$<"' -c -o $@ agent/notes_image.S

# What a model is told, in the same way.
PROMPTS := $(sort $(wildcard agent/prompts/*.md))
$(BUILD)/agent/prompts.list: agent/prompts $(PROMPTS)
	@mkdir -p $(@D)
	$(Q)printf 'prompt "%s", "%s"\n' $(foreach p,$(PROMPTS),$(notdir $p) $p) >$@
agent/prompts: ;
$(BUILD)/agent/prompts_image.o: $(BUILD)/agent/prompts.list agent/prompts_image.S
	$(Q)$(CC) -DPROMPTS='"$<"' -c -o $@ agent/prompts_image.S

# Unit tests: tests/unit/<layer>/test_*.c link their own layer and core only,
# so that a call a layer must not make does not link.
.SECONDEXPANSION:
$(BUILD)/tests/unit/%: tests/unit/%.c $$(BUILD)/lib$$(firstword $$(subst /, ,$$*)).a $$(if $$(findstring scorer/,$$*),$(BUILD)/librunner.a) $(BUILD)/libcore.a
	@mkdir -p $(@D)
	$(call say,TEST,$@)
	$(Q)$(CC) $(BASEFLAGS) $($(firstword $(subst /, ,$*))_flags) $(CFLAGS) $(LINK) \
		-o $@ $< $(filter %.a,$^) $($(firstword $(subst /, ,$*))_libs) $(core_libs) -lcmocka

# What the tests talk to instead of a model: tests/model-server/README.md.
MODEL_SERVER := $(BUILD)/tests/model-server/model-server
$(MODEL_SERVER): $(patsubst %.c,$(BUILD)/%.o,$(wildcard tests/model-server/*.c)) $(BUILD)/libcore.a
	$(call say,LD,$@)
	$(Q)$(CC) $(LINK) -o $@ $^ $(core_libs)
$(BUILD)/tests/model-server/%.o: tests/model-server/%.c
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) $(BASEFLAGS) $(CFLAGS) -c -o $@ $<

## make               builds build/avogit
## make deps          installs what building and testing needs (Debian, Ubuntu)
## make demo          evolves a matrix multiply in a scratch repository
## make test          unit tests and command-line tests
## make test-gpu      the GPU part of the corpus, where there is a GPU
## make test-sdk      official clients from npm against what we serve
## make fuzz          each parser of what others send (FUZZ_SECONDS=600: each so long)
## make check         format, layers, clang-tidy, cppcheck (see deps-check)
## make asan          the tests under address and undefined-behaviour sanitizers
## make bench-gpu     the figures on a GPU; PART="examples cost" for some
## make bench         prints the figures: area.name value unit goal ok|SHORT
## make bundle        a folder, and a .tar.gz, that run where nothing is installed
## make install       to PREFIX (default /usr/local), under DESTDIR

# One after the other, with -j too: they time things.
test:
	@$(MAKE) --no-print-directory unit
	@$(MAKE) --no-print-directory cli

unit: $(UNIT) $(MODEL_SERVER)
	@CMOCKA_MESSAGE_OUTPUT=TAP prove --exec tests/tap.sh $(PROVE_FLAGS) $(UNIT)

CLI ?= $(wildcard tests/cli/t*.sh)
cli: all $(MODEL_SERVER)
	@AVOGIT=$(abspath $(AVOGIT)) prove $(PROVE_FLAGS) $(CLI) tests/gpu/run.sh

# Where there is a GPU; the same script needs no prove.
test-gpu: all
	@AVOGIT=$(abspath $(AVOGIT)) tests/gpu/run.sh

# The vendors' own clients talk to the scripted model server, and the official
# MCP client to `avogit mcp`, where node is.
test-sdk: all $(MODEL_SERVER)
	@AVOGIT=$(abspath $(AVOGIT)) prove $(PROVE_FLAGS) tests/sdk/mcp/run.sh
	@MODEL_SERVER=$(abspath $(MODEL_SERVER)) tests/sdk/run.sh $(abspath $(BUILD)/tests/sdk)

# Each parser of what others send, from the seeds in tests/fuzz/corpus; what a
# run finds is kept under build-fuzz. FUZZ_SECONDS is for all; without it the
# small ones have 10, the others 20.
FUZZERS := $(patsubst tests/fuzz/fuzz_%.c,%,$(wildcard tests/fuzz/fuzz_*.c))
FUZZ_SHORT := claim cubin html journal profile tar tunables
FUZZ_SECONDS ?=
FUZZ_FLAGS := -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all
fuzz:
	@$(MAKE) --no-print-directory BUILD=build-fuzz CC=clang HARDEN= WARN= \
		SANFLAGS='$(FUZZ_FLAGS)' $(FUZZERS:%=run-fuzz-%)
run-fuzz-%: seconds = $(or $(FUZZ_SECONDS),$(if $(filter $*,$(FUZZ_SHORT)),10,20))
run-fuzz-%: $(BUILD)/fuzz_%
	@mkdir -p $(BUILD)/corpus/$*
	@$< -max_total_time=$(seconds) -timeout=10 -rss_limit_mb=2048 \
		-max_len=65536 -verbosity=0 -artifact_prefix=$(BUILD)/$*- \
		$(addprefix -dict=,$(wildcard tests/fuzz/$*.dict)) \
		$(BUILD)/corpus/$* tests/fuzz/corpus/$* >$(BUILD)/$*.log 2>&1 || \
		{ tail -n 50 $(BUILD)/$*.log; exit 1; }
	@echo 'fuzz: $*: ok'
$(BUILD)/fuzz_%: tests/fuzz/fuzz_%.c $(foreach l,agent scorer core,$(BUILD)/lib$(l).a)
	$(call say,FUZZ,$@)
	$(Q)$(CC) $(BASEFLAGS) $(agent_flags) $(scorer_flags) $(CFLAGS) \
		-fsanitize=fuzzer,address,undefined -pie -o $@ $(filter %.c %.a,$^) \
		$(agent_libs) $(scorer_libs) $(core_libs)

# Only after a change of the .cu: the text is kept in the repository.
GPU_KERNELS := gpu_kernels:75 gpu_ceilings:75 gpu_ceilings_sm80:80 gpu_ceilings_sm90a:90a
gpu-kernels:
	for k in $(GPU_KERNELS); do \
		nvcc -ptx -arch=compute_$${k#*:} -std=c++17 -O3 -o scorer/runner/$${k%:*}.ptx \
			scorer/runner/$${k%:*}.cu || exit; \
	done

# Minutes of other people's programs, and of avogit little that others do not
# run too: under sanitizers these are left out.
LONG_CLI := $(patsubst %,tests/cli/%%,t0107 t0108 t0110 t0111 t0112 \
	t0200 t0210 t0220 t0300 t0301 t0320 t0330 t0333 t0340 t0350 t0351)

# Aborts rather than reports a fault in a unit test, so that the sanitizer's
# own trace is seen. Two at a time: nobody asks how long it took.
asan:
	@$(MAKE) --no-print-directory BUILD=build-asan SAN=address,undefined all
	@ASAN_OPTIONS=detect_leaks=1 UBSAN_OPTIONS=print_stacktrace=1 \
		CMOCKA_TEST_ABORT=1 \
		$(MAKE) --no-print-directory BUILD=build-asan SAN=address,undefined \
		PROVE_FLAGS="$(PROVE_FLAGS) -j2" \
		CLI="$(filter-out $(LONG_CLI),$(wildcard tests/cli/t*.sh))" test

PACKAGES_BUILD := build-essential pkg-config git libgit2-dev \
	libcurl4-openssl-dev libcjson-dev libyaml-dev libffi-dev \
	libseccomp-dev libssl-dev libsqlite3-dev libxxhash-dev zlib1g-dev bubblewrap libopenblas-dev
PACKAGES_TEST  := libcmocka-dev sharness perl poppler-utils
PACKAGES_BUNDLE := patchelf
PACKAGES_CHECK := clang clang-format clang-tidy cppcheck

deps:
	@tests/deps.sh $(PACKAGES_BUILD) $(PACKAGES_TEST) $(PACKAGES_BUNDLE)
deps-check: deps
	@tests/deps.sh $(PACKAGES_CHECK)

demo: all
	@AVOGIT=$(abspath $(AVOGIT)) examples/demo.sh

SOURCES := $(wildcard $(addsuffix /*.[ch],$(LAYERS))) $(wildcard scorer/runner/*.[ch]) \
	$(wildcard tests/unit/*/*.[ch] tests/bench/*.[ch] tests/model-server/*.[ch] tests/fuzz/*.[ch])

check: format layers cppcheck tidy fuzz

format:
	@clang-format --dry-run -Werror $(SOURCES)
	@echo 'format: ok'
layers:
	@tests/layers.sh
cppcheck:
	@cppcheck --quiet --error-exitcode=1 --std=c11 -I. \
		--enable=warning,performance,portability --inline-suppr \
		--suppressions-list=tests/cppcheck-suppressions \
		$(filter %.c,$(filter-out tests/%,$(SOURCES)))
	@echo 'cppcheck: ok'
tidy:
	@mkdir -p $(BUILD)
	@printf '%s\n' $(filter %.c,$(filter-out tests/%,$(SOURCES))) | \
		xargs -P 2 -n 1 clang-tidy --quiet --warnings-as-errors='*' 2>$(BUILD)/tidy.err \
		--extra-arg=-std=c11 --extra-arg=-D_GNU_SOURCE --extra-arg=-I. \
		--extra-arg=-DAVOGIT_VERSION='"0"' \
		$(foreach f,$(core_flags) $(gitstore_flags) $(scorer_flags) $(agent_flags),--extra-arg=$(f)) \
		|| { cat $(BUILD)/tidy.err; exit 1; }
	@echo 'clang-tidy: ok'

BENCH := $(patsubst tests/bench/%.c,$(BUILD)/tests/bench/%,$(filter-out %/steps.c,$(wildcard tests/bench/*.c)))
$(BUILD)/tests/bench/%: tests/bench/%.c tests/bench/steps.c $(foreach l,agent scorer gitstore core,$(BUILD)/lib$(l).a)
	@mkdir -p $(@D)
	$(call say,LD,$@)
	$(Q)$(CC) $(BASEFLAGS) $(foreach l,$(LAYERS),$($(l)_flags)) $(CFLAGS) $(LINK) \
		-o $@ $(filter %.c %.a,$^) $(agent_libs) $(gitstore_libs) $(core_libs) -ldl

# Where there is a GPU, in parts of some minutes each; what is printed is kept.
PART ?= examples accuracy resolution-spin resolution-softmax resolution-matmul cost tuner
bench-gpu: all $(BUILD)/tests/bench/gpu_bench
	@for part in $(PART); do AVOGIT=$(abspath $(AVOGIT)) BENCH=$(abspath $(BUILD)/tests/bench) \
		tests/bench/gpu.sh $$part | tee tests/results/gpu-$$part.txt; done

bench: all $(BENCH) $(MODEL_SERVER)
	@AVOGIT=$(abspath $(AVOGIT)) BENCH=$(abspath $(BUILD)/tests/bench) tests/bench/run.sh

install: all
	install -d $(DESTDIR)$(PREFIX)/bin
	install -m 755 $(AVOGIT) $(DESTDIR)$(PREFIX)/bin/avogit
	ln -sf avogit $(DESTDIR)$(PREFIX)/bin/git-avogit
	install -d $(DESTDIR)$(PREFIX)/share/avogit/knowledge
	install -m 644 $(NOTES) $(DESTDIR)$(PREFIX)/share/avogit/knowledge

# For a node where nothing can be installed (docs/gpu-nodes.md).
BUNDLE := $(BUILD)/avogit-bundle
bundle: all
	$(call say,DIST,$(BUNDLE))
	$(Q)dist/bundle.sh $(BUNDLE) $(VERSION) $(AVOGIT) $(RUNNER)
	$(Q)dist/tar.sh $(BUNDLE) $(BUNDLE).tar.gz
	@du -sh --apparent-size $(BUNDLE) $(BUNDLE).tar.gz

clean:
	rm -rf build build-asan build-fuzz

-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)
