/* How wide the terminal is that output goes to. */
#ifndef CMD_UI_TERMINAL_H
#define CMD_UI_TERMINAL_H

#include <stddef.h>

/* Cells of the terminal that stdout is, or was before a pager took it; 0: it is
 * none, and nothing is cut. COLUMNS counts where the terminal does not say. */
size_t terminal_width(void);

#endif
