/*
 * The state of a GPU at one moment, as its driver's management library reports
 * it, and over a comparison: clocks, power, temperature, and what limited the
 * clocks. Plain values and pure functions; nvml.h collects them.
 *
 * None of it decides a verdict or a ratio. It records the conditions of a
 * measurement: at its power limit a card changes its clocks from minute to
 * minute, and figures from two times differ with them.
 */
#ifndef SCORER_DEVICE_NVML_SAMPLE_H
#define SCORER_DEVICE_NVML_SAMPLE_H

#include "core/base/buf.h"
#include "core/score/measurement.h"

/* A figure that this card or driver does not give. */
#define NVML_UNKNOWN (-1)

/* Figures that do not change while a card is watched. */
struct nvml_card {
	char driver[80];      /* "580.159.03"; "": unknown */
	int sm_clock_max;     /* MHz */
	int memory_clock_max; /* MHz */
	double power_limit;   /* W, the current limit */
	/* 1: yes, 0: no: */
	int ecc, mig;
	int persistence; /* the driver stays loaded between programs */
};

enum nvml_reason {
	NVML_REASON_IDLE,		/* nothing runs: not throttling */
	NVML_REASON_APPLICATION_CLOCKS, /* set by an administrator */
	NVML_REASON_POWER_CAP,
	NVML_REASON_HW_SLOWDOWN,
	NVML_REASON_SYNC_BOOST,
	NVML_REASON_THERMAL_SLOWDOWN,
	NVML_REASON_HW_THERMAL_SLOWDOWN,
	NVML_REASON_POWER_BRAKE,
	NVML_REASON_DISPLAY_CLOCKS,
	NVML_REASON_OTHER, /* bits that this program does not know */
	NVML_REASONS
};
/* "power-cap", "thermal-slowdown", "hw-slowdown", "sync-boost", "idle"... */
const char *nvml_reason_name(enum nvml_reason r);

struct nvml_sample {
	double at;	  /* clock_seconds() at the sample */
	int sm_clock;	  /* MHz */
	int memory_clock; /* MHz */
	double power;	  /* W; on newer cards the mean of the last second */
	double energy;	  /* J since the driver was loaded */
	int temperature;  /* Celsius */
	int busy;    /* percent of the last moments in which a kernel ran */
	int reasons; /* a bit 1 << enum nvml_reason for each */
	/* Processes that compute on the card and were not started by this
	 * program; and those of which it is unknown, because they are in
	 * another process namespace. */
	int others, strangers;
};

/* Over a comparison. A figure that no sample has is NVML_UNKNOWN. */
struct nvml_summary {
	size_t n;
	struct nvml_range {
		double min, median, max;
	} sm_clock, memory_clock, power, temperature;
	double energy;		    /* J, from the first to the last */
	double share[NVML_REASONS]; /* of the samples with reasons */
	size_t n_reasons;	    /* how many samples had reasons */
	int others;		    /* the largest number at any moment */
};

/* n may be 0. The samples may be in any order. */
void nvml_summarize(struct nvml_summary *out, const struct nvml_sample *sample,
		    size_t n);

/* Adds each known figure to the environment of a measurement:
 * gpu_clock=1605MHz(1515..1980) gpu_power=690W(640..702) gpu_temp=61C(58..63)
 * gpu_throttled=power-cap:83% gpu_others=1; nothing if there are no samples. */
void nvml_summary_record(struct measurement *m, const struct nvml_summary *s);

#endif
