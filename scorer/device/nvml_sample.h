/*
 * What a GPU did at one moment, as its driver's management library says, and
 * what it did over a comparison: clocks, power, temperature, and what held the
 * clocks back. Plain values and pure functions; nvml.h asks for them.
 *
 * None of it decides a verdict or a ratio. It says under what conditions a
 * measurement was made: a card at its power limit clocks differently from
 * minute to minute, and figures of two moments differ with it.
 */
#ifndef SCORER_DEVICE_NVML_SAMPLE_H
#define SCORER_DEVICE_NVML_SAMPLE_H

#include "core/base/buf.h"
#include "core/score/measurement.h"

/* A figure that this card or driver does not give. */
#define NVML_UNKNOWN (-1)

/* Does not change while a card is watched, as far as we ask. */
struct nvml_card {
	char driver[80];      /* "580.159.03"; "" unknown */
	int sm_clock_max;     /* MHz */
	int memory_clock_max; /* MHz */
	double power_limit;   /* W, in force now */
	/* 1 yes, 0 no: */
	int ecc, mig;
	int persistence; /* the driver stays loaded between programs */
};

enum nvml_reason {
	NVML_REASON_IDLE,		/* nothing runs: not throttled */
	NVML_REASON_APPLICATION_CLOCKS, /* pinned by an administrator */
	NVML_REASON_POWER_CAP,
	NVML_REASON_HW_SLOWDOWN,
	NVML_REASON_SYNC_BOOST,
	NVML_REASON_THERMAL_SLOWDOWN,
	NVML_REASON_HW_THERMAL_SLOWDOWN,
	NVML_REASON_POWER_BRAKE,
	NVML_REASON_DISPLAY_CLOCKS,
	NVML_REASON_OTHER, /* bits that are newer than this program */
	NVML_REASONS
};
/* "power-cap", "thermal-slowdown", "hw-slowdown", "sync-boost", "idle"... */
const char *nvml_reason_name(enum nvml_reason r);

struct nvml_sample {
	double at;	  /* clock_seconds(), when it was taken */
	int sm_clock;	  /* MHz */
	int memory_clock; /* MHz */
	double power;	  /* W; newer cards say the mean of the last second */
	double energy;	  /* J since the driver was loaded */
	int temperature;  /* Celsius */
	int busy;    /* percent of the last moments with a kernel at work */
	int reasons; /* 1 << enum nvml_reason, together */
	/* Processes that compute on the card and are not started by this
	 * program; and those that cannot be told, since they live in a process
	 * namespace that is not ours. */
	int others, strangers;
};

/* Over a comparison. Figures that no sample has are NVML_UNKNOWN. */
struct nvml_summary {
	size_t n;
	struct nvml_range {
		double min, median, max;
	} sm_clock, memory_clock, power, temperature;
	double energy;		    /* J, from the first to the last */
	double share[NVML_REASONS]; /* of the samples that gave reasons */
	size_t n_reasons;	    /* how many did */
	int others;		    /* the most at any moment */
};

/* n may be 0. The samples may be in any order. */
void nvml_summarize(struct nvml_summary *out, const struct nvml_sample *sample,
		    size_t n);

/* Into the environment of a measurement, each that is known:
 * gpu_clock=1605MHz(1515..1980) gpu_power=690W(640..702) gpu_temp=61C(58..63)
 * gpu_throttled=power-cap:83% gpu_others=1; of no samples, nothing. */
void nvml_summary_record(struct measurement *m, const struct nvml_summary *s);

#endif
