/*
 * Functions that must not be called here: each has a safe replacement in core, and a
 * use is a compile error rather than a finding in review.
 */
#ifndef CORE_BASE_BANNED_H
#define CORE_BASE_BANNED_H

#define BANNED(f) use_of_banned_function_##f

#undef strcpy
#define strcpy(a, b) BANNED(strcpy)
#undef strcat
#define strcat(a, b) BANNED(strcat)
#undef strncpy
#define strncpy(a, b, n) BANNED(strncpy)
#undef strncat
#define strncat(a, b, n) BANNED(strncat)
#undef strtok
#define strtok(a, b) BANNED(strtok)
#undef sprintf
#define sprintf(...) BANNED(sprintf)
#undef vsprintf
#define vsprintf(...) BANNED(vsprintf)
#undef gets
#define gets(a) BANNED(gets)
#undef system
#define system(a) BANNED(system)
#undef popen
#define popen(a, b) BANNED(popen)
#undef atoi
#define atoi(a) BANNED(atoi)
#undef atof
#define atof(a) BANNED(atof)
#undef gmtime
#define gmtime(a) BANNED(gmtime)
#undef localtime
#define localtime(a) BANNED(localtime)
#undef ctime
#define ctime(a) BANNED(ctime)
#undef tmpnam
#define tmpnam(a) BANNED(tmpnam)
#undef mktemp
#define mktemp(a) BANNED(mktemp)

#endif
