// Wall-clock milliseconds since some start; for profiles only, never for decisions.
#pragma once

double cnGetMilliseconds(void);
