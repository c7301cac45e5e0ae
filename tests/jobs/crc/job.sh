# A generated header, a table that is made once, a struct by pointer.
typed ./configure &&
typed avogit init crc.c --entry crc_update &&
edited avogit.yaml '/name: o$/,/direction/d' &&
edited avogit.yaml 's|# setup: |setup: |; s|^arguments:|&\n  - name: o\n    struct: [{name: start, dtype: u32, value: 0}, {name: inverted, dtype: i32, value: 1}]\n    pointer: true|
	s|^bytes: .*|bytes: len|; s|files: .*|files: [crc.h, crc_config.h.in, configure]\n  generate: [sh, configure]|' &&
edited reference.c 's|^#error .*|\treturn crc_update_plain(o, data, len);|' &&
edited crc.c 's|^#define TURNS .*|& // avogit: 80 1|' &&
evolve_and_pick
