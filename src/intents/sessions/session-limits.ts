// The limits of sessions and of the links that begin them.

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

export const sessionLimits = Object.freeze({
  /** Bits of chance in the id of a session and in the code of a link. */
  secretBytes: 32,
  /** Defaults: when a session ends without a request, and when in any case. */
  idleMs: 8 * hourMs,
  lifetimeMs: 24 * hourMs,
  /** The last use of a session is written at most this often. */
  touchMs: 5 * minuteMs,
  /** Sessions of one user; with one more the oldest ends. */
  maxPerUser: 64,
  /** Sign-ins and links of one user, and users whose number is remembered. */
  signInsPerSecond: 1,
  signInBurst: 60,
  maxRateUsers: 10_000,
  /** A link works once, within this time. */
  linkMs: 10 * minuteMs,
});
