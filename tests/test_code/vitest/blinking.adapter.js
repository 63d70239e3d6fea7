// A lamp that blinks, as one object. FAULT makes it a wrong one.
export class Refused extends Error {}

export class Adapter {
  constructor() {
    this.fault = process.env.FAULT ?? "";
    this.interval = null;
    this.isOn = false;
    // What is on its way: it arrives one step after it was sent.
    this.pulse = this.set = null;
    this.timeout = false;
    this.left = null;
    this.last = null;
  }

  step(inputs) {
    const { pulse, set, timeout } = this;
    this.pulse = this.set = null;
    this.timeout = false;
    if (this.interval === null) {
      if (inputs.interval !== null) {
        this.interval = inputs.interval;
        this.switch(true);
      }
    } else if (timeout) {
      this.switch(!this.isOn);
    }
    // The timer.
    if (this.left === null) {
      if (set !== null) this.left = set + (this.fault === "slow" ? 1 : 0);
    } else if (this.left === 0) {
      this.left = null;
      this.timeout = true;
    } else if (this.left > 0) {
      this.left -= 1;
    }
    // The lamp shows what was stored before this step.
    let lamp = this.last;
    if (pulse !== null) this.last = pulse;
    if (this.fault === "dark" && lamp) lamp = false;
    return { lamp };
  }

  switch(isOn) {
    this.isOn = this.pulse = isOn;
    this.set = this.interval;
  }

  close() {}
}
