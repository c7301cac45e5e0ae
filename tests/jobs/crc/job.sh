# A generated header, a table that is made once, a struct by pointer.
typed ./configure &&
typed avogit init crc.c --entry crc_update &&
edited avogit.yaml 's|# setup: |setup: |; s|{name: start, dtype: u32, value: 1}.*|{name: start, dtype: u32, value: 0}|
	s|^bytes: .*|bytes: len|; s|files: .*|files: [crc.h, crc_config.h.in, configure]\n  generate: [sh, configure]|' &&
edited crc.c 's|^#define TURNS .*|& // avogit: 80 1|' &&
evolve_and_pick
