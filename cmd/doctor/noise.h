/* How far this machine's clock can be trusted, without a kernel at hand. */
#ifndef CMD_DOCTOR_NOISE_H
#define CMD_DOCTOR_NOISE_H

/* Times a fixed loop against itself for about `seconds`: half the width of
 * the 95 % interval of the ratio, which is 0 on a perfect machine. */
double noise_floor(double seconds);

#endif
