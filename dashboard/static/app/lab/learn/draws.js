/** Draws of one seed: the same seed learns the same on every machine (sfc32, of C. Doty-Humphrey's PractRand, 2010). */
export class Draws {
  /**
   * @param {number} seed
   * @param {number} [stream] another one, apart from the first
   */
  constructor(seed, stream = 0) {
    this.a = seed | 0;
    this.b = stream | 0;
    this.c = 0x9e3779b9 | 0;
    this.d = 1;
    for (let turn = 0; turn < 15; turn++) this.uniform();
  }

  /** Uniform in [0, 1). */
  uniform() {
    const sum = (((this.a + this.b) | 0) + this.d) | 0;
    this.d = (this.d + 1) | 0;
    this.a = this.b ^ (this.b >>> 9);
    this.b = (this.c + (this.c << 3)) | 0;
    this.c = (((this.c << 21) | (this.c >>> 11)) + sum) | 0;
    return (sum >>> 0) / 2 ** 32;
  }

  /** Mean 0, variance 1 (Box & Muller 1958). */
  normal() {
    return Math.sqrt(-2 * Math.log1p(-this.uniform())) * Math.cos(2 * Math.PI * this.uniform());
  }

  /** A whole number from 0 to `high` − 1, each as likely. @param {number} high */
  below(high) {
    return Math.floor(this.uniform() * high);
  }
}
