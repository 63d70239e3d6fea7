/* The stopwatch of examples/stopwatch.tw with one trap bit for each item of both_modes. One step of the model is one d_step,
   so a shortest error trail is a shortest sequence that covers everything.
     spin -a -DCENTS=100 -DSECS=60 stopwatch.pml
     gcc -O2 -DSAFETY -DBFS -DNOREDUCE -o pan pan.c
     ./pan -m20000 */
#ifndef CENTS
#define CENTS 100
#endif
#ifndef SECS
#define SECS 60
#endif

#define RESET   0
#define RUNNING 1
#define LAP     2
#define LAPSTOP 3

unsigned mode : 2 = RESET;
byte cent = 0;
byte sec = 0;
unsigned seen : 14 = 0;

#define COVERED(bits) seen = seen | (bits); assert(seen != 16383)
#define BUTTON(from, to, item) d_step { mode == from -> mode = to; COVERED(1 << item) }
/* The items: the tick itself, the second, the minute. */
#define TIC(in, item, second, minute) \
  d_step { mode == in -> \
    cent = (cent + 1) % CENTS; \
    sec = (cent == 0 -> (sec + 1) % SECS : sec); \
    COVERED((1 << item) | ((cent == 0) << second) | ((cent == 0 && sec == 0) << minute)) }

active proctype stopwatch() {
  do
  :: d_step { mode == RESET -> cent = 0; sec = 0; COVERED(1 << 0) }
  :: BUTTON(RESET, RUNNING, 1)
  :: BUTTON(RUNNING, RESET, 2)
  :: BUTTON(RUNNING, LAP, 3)
  :: BUTTON(LAP, LAPSTOP, 4)
  :: BUTTON(LAP, RUNNING, 5)
  :: BUTTON(LAPSTOP, RESET, 6)
  :: BUTTON(LAPSTOP, LAP, 7)
  :: TIC(RUNNING, 8, 10, 11)
  :: TIC(LAP, 9, 12, 13)
  od
}
