/* The initiator of examples/inres.tw with one trap bit for each transition. One step of the model is one d_step, so a
   shortest error trail is a shortest sequence that fires all transitions. Blockings are counted up to b + 1; none is more
   than that, for a counter above b is only left by t13.
     spin -a -DN=5 -DB=3 inres.pml
     gcc -O2 -DSAFETY -DBFS -DNOREDUCE -o pan pan.c
     ./pan */
#ifndef N
#define N 5
#endif
#ifndef B
#define B 3
#endif

#define IDLE      0
#define WAITCC    1
#define CONNECTED 2
#define WAITTOKEN 3
#define SENDING   4
#define BLOCKED   5
#define WAITDISC  6

unsigned at : 3 = IDLE;
byte number = 0;
byte counter = 0;
unsigned seen : 14 = 0;

#define FIRED(t) seen = seen | (1 << (t - 1)); assert(seen != 16383)
#define MOVE(t, from, to, guard) :: d_step { at == from && (guard) -> at = to; FIRED(t) }

active proctype inres() {
  do
  MOVE(1, IDLE, WAITCC, true)
  MOVE(2, WAITCC, IDLE, true)
  MOVE(3, WAITCC, CONNECTED, true)
  :: d_step { at == CONNECTED -> at = WAITTOKEN; number = 0; counter = 0; FIRED(4) }
  MOVE(5, WAITTOKEN, SENDING, true)
  MOVE(6, SENDING, WAITTOKEN, true)
  MOVE(7, WAITTOKEN, WAITTOKEN, true)
  :: d_step { at == SENDING && number < N -> number++; FIRED(8) }
  :: d_step { at == SENDING -> at = BLOCKED; counter++; FIRED(9) }
  MOVE(10, BLOCKED, SENDING, counter <= B)
  MOVE(11, SENDING, WAITDISC, number == N)
  MOVE(12, BLOCKED, WAITDISC, counter <= B)
  MOVE(13, BLOCKED, WAITDISC, counter > B)
  :: d_step { at == WAITDISC -> at = IDLE; number = 0; counter = 0; FIRED(14) }
  od
}
