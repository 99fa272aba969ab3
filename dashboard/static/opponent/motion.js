/**
 * How a figure comes alive: springs that carry it from pose to pose, blinking, breathing, wandering eyes, speech.
 * Nothing here knows of three.js; time comes in, a pose goes out.
 *
 * @typedef {import('./poses.js').Pose} Pose
 */

import { POSES } from './poses.js';

const { PI, exp, max, min, sin } = Math;

/** What moves faster than the body: eyes and lids lead, hands and trunk follow. @param {string} key */
function pace(key) {
  if (/^(gaze|lid|pupil)/.test(key)) return 2.2;
  if (/^(brow|knit|mouth|smile|teeth|round|skew|snarl|jaw|cheek)/.test(key)) return 1.5;
  if (/^head/.test(key)) return 1;
  return 0.8;
}

export class Motion {
  /** @param {import('./personas.js').Persona} persona */
  constructor(persona) {
    this.persona = persona;
    this.poses = POSES[persona.name];
    /** @type {import('./poses.js').State} */
    this.state = 'idle';
    this.aim = this.poses.idle;
    /** Where each number is and how fast it moves. @type {Pose} */
    this.now = { ...this.aim };
    /** @type {Pose} */
    this.speed = Object.fromEntries(Object.keys(this.aim).map((key) => [key, 0]));
    this.paces = Object.keys(this.aim).map((key) => /** @type {[string, number]} */ ([key, pace(key)]));
    this.time = 0;
    this.nextBlink = 1.5;
    this.blink = 0;
    this.shut = -1;
    this.talkUntil = -1;
    this.talkFrom = 0;
    this.tension = 0;
    this.glance = { x: 0, y: 0, at: 2 };
    this.look = { x: 0, y: 0 };
    this.since = 0;
  }

  /** @param {import('./poses.js').State} state */
  setState(state) {
    if (state === this.state) return;
    this.state = state;
    this.aim = this.poses[state];
    this.since = 0;
    if (state !== 'thinking') this.nextBlink = min(this.nextBlink, this.time + 0.05);
  }

  /** @param {number} seconds */
  speak(seconds) {
    this.talkFrom = this.time;
    this.talkUntil = this.time + seconds;
  }

  /** True while something moves that deserves a full frame rate. */
  get busy() {
    return this.since < 1.6 || this.time < this.talkUntil + 0.3 || this.shut >= 0;
  }

  /** Moves on by `dt` seconds and gives the pose, with all that lives on top of the state's. @param {number} dt */
  step(dt) {
    this.time += dt;
    this.since += dt;
    this.spring(dt);
    this.lid(dt);
    this.wander();
    /** @type {Pose} */
    const pose = { ...this.now };
    this.breathe(pose);
    this.talk(pose);
    this.gesture(pose);
    return pose;
  }

  /** Damped springs towards the aim, stepped finely enough to be stable. @param {number} dt */
  spring(dt) {
    const { speed, bounce } = this.persona.temper;
    const hurry = this.state === 'shocked' ? 1.7 : 1;
    const steps = max(1, Math.ceil(dt / 0.012));
    const h = dt / steps;
    for (const [key, factor] of this.paces) {
      const w = speed * factor * hurry;
      for (let i = 0; i < steps; i++) {
        this.speed[key] += ((this.aim[key] - this.now[key]) * w * w - 2 * bounce * w * this.speed[key]) * h;
        this.now[key] += this.speed[key] * h;
      }
    }
  }

  /** A blink lasts a sixth of a second; its times are irregular. @param {number} dt */
  lid(dt) {
    if (this.shut < 0 && this.time >= this.nextBlink) this.shut = 0;
    if (this.shut < 0) return;
    this.shut += dt;
    const length = this.persona.name === 'veteran' ? 0.26 : 0.17;
    this.blink = this.shut < length ? sin((this.shut / length) * PI) ** 0.7 : 0;
    if (this.shut >= length) {
      this.shut = -1;
      const twice = sin(this.time * 7.3) > 0.7;
      this.nextBlink =
        this.time + (twice ? 0.22 : this.persona.temper.blink * (0.55 + 0.9 * Math.abs(sin(this.time * 3.1))));
    }
  }

  /** Small glances aside. */
  wander() {
    if (this.time < this.glance.at) return;
    const pick = sin(this.time * 12.9898) * 43758.5453;
    const chance = pick - Math.floor(pick);
    const away = chance < 0.3 * this.persona.temper.sway;
    this.glance = {
      x: away ? (chance - 0.15) * 1.6 : (chance - 0.5) * 0.05,
      y: away ? (chance - 0.1) * 0.5 : 0,
      at: this.time + (away ? 0.5 : 1.4 + chance * 2),
    };
  }

  /** @param {Pose} pose */
  breathe(pose) {
    const { breath, sway } = this.persona.temper;
    const t = this.time * (1 + this.tension * 0.006);
    this.breath = sin(t * 1.45 * breath) * (0.6 + this.tension * 0.006);
    pose.shrug += this.breath * 0.008;
    pose.headY += sin(t * 0.43) * 0.03 * sway + this.look.x * 0.22;
    pose.headX += sin(t * 0.57 + 1) * 0.012 * sway + this.breath * 0.004 - this.look.y * 0.12;
    pose.headZ += sin(t * 0.31 + 2) * 0.018 * sway;
    pose.lean += sin(t * 0.37) * 0.008 * sway;
    pose.sway += sin(t * 0.29) * 0.008 * sway;
    pose.gazeX += this.glance.x + this.look.x * 0.3;
    pose.gazeY += this.glance.y + this.look.y * 0.2;
    pose.knit += this.tension * 0.002;
    pose.browIn -= this.tension * 0.00012;
    pose.lY += sin(t * 1.1) * 0.003 * sway;
    pose.rY += sin(t * 1.1 + 0.7) * 0.003 * sway;
  }

  /** Syllables move the lips; stresses move head and brows. @param {Pose} pose */
  talk(pose) {
    const left = this.talkUntil - this.time;
    const fade = min(1, max(0, left / 0.2), (this.time - this.talkFrom) / 0.12);
    if (left <= 0 || fade <= 0) return;
    const { nod, beat } = this.persona.temper;
    const t = this.time * (this.persona.name === 'veteran' ? 0.8 : this.persona.name === 'shark' ? 1.2 : 1);
    const syllable = max(0, sin(t * 17) * 0.55 + sin(t * 11.3 + 1) * 0.45 + 0.12) * (0.7 + 0.3 * sin(t * 3.1));
    const shape = 0.5 + 0.5 * sin(t * 7.7);
    pose.mouthOpen += fade * (0.012 + 0.078 * syllable - pose.mouthOpen * 0.5);
    pose.round += fade * 0.45 * shape * syllable;
    pose.mouthWide += fade * (0.1 - 0.25 * shape) * syllable;
    pose.teeth = Math.max(pose.teeth * 0.9, 0.6);
    pose.jaw += fade * syllable * 0.25;
    const stress = sin(t * 4.1) * 0.6 + sin(t * 2.3 + 0.5) * 0.4;
    pose.headX += fade * stress * 0.032 * nod;
    pose.headY += fade * sin(t * 1.7) * 0.045 * nod;
    pose.browRaise += fade * max(0, stress) * 0.014;
    const wave = fade * beat;
    pose.lY += wave * max(0, sin(t * 4.1)) * 0.05;
    pose.lPitch -= wave * max(0, sin(t * 4.1 + 0.3)) * 0.22;
    pose.rY += wave * max(0, sin(t * 4.1 - 1.1)) * 0.035;
    pose.rPitch -= wave * max(0, sin(t * 4.1 - 0.8)) * 0.14;
    pose.lCurl *= 1 - 0.25 * wave * max(0, sin(t * 2.05));
  }

  /** What a state does while it lasts. @param {Pose} pose */
  gesture(pose) {
    const { name } = this.persona;
    const t = this.since;
    const quick = exp(-t * 2.2);
    if (this.state === 'aggressive') {
      if (name === 'shark') {
        pose.lY += sin(t * 9) * 0.03 * quick + max(0, sin(t * 5)) * 0.012;
        pose.lPitch += sin(t * 9) * 0.1 * quick;
      } else pose.headX += sin(t * 8) * 0.03 * quick;
    } else if (this.state === 'pleased') {
      pose.headX += sin(t * (name === 'veteran' ? 3 : 6)) * 0.05 * exp(-t * 1.1) * this.persona.temper.nod * 1.4;
      if (name === 'veteran') pose.shrug += max(0, sin(t * 9)) * 0.02 * exp(-t * 0.9);
    } else if (this.state === 'thinking') {
      pose.lCurl += sin(t * 3.2) * 0.05;
      pose.rCurl += name === 'shark' ? max(0, sin(t * 7)) * 0.12 : 0;
      pose.gazeX += sin(t * 0.9) * 0.08;
    } else if (this.state === 'shocked') {
      pose.headZ += sin(t * 26) * 0.012 * quick;
      pose.lSpread += sin(t * 22) * 0.1 * quick;
    }
  }
}
