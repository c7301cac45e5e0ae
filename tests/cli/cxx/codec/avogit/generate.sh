#!/bin/sh
# What the project's configure does.
sed 's/@SCALE@/3/' ../codec_config.h.in >../codec_config.h
