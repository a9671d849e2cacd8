// Loaded before the program: it sees another time of the day. SHIFT_MS says how far away.
const shiftMs = Number(process.env.SHIFT_MS ?? 0);
const RealDate = Date;
globalThis.Date = class extends RealDate {
  constructor(...given) {
    super(...(given.length === 0 ? [RealDate.now() + shiftMs] : given));
  }

  static now() {
    return RealDate.now() + shiftMs;
  }
};
