# llm.c: a flat folder that its own CMake builds.
typed avogit init layernorm.c &&
edited avogit.yaml '/^  compiler:/,$d' &&
added avogit.yaml <<\EOF &&
  files: [CMakeLists.txt]
  command: [sh, -c, cmake -S . -B out && cmake --build out]
  object: out/libtrain.so
EOF
edited layernorm.c 's|^#define PASSES .*|& // avogit: 40 1|' &&
evolve_and_pick
