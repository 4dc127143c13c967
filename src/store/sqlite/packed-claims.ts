/**
 * Claims on their way back from the writer's thread: one text and one array of numbers, which cost
 * a third of JSON and a fifth of a structured clone (measured: 22 against 68 and 109 microseconds
 * for a hundred). Keys hold no NUL, so it keeps them apart; tokens follow one another.
 */
import { assert } from "../../kernel/assert.ts";
import type { Claim } from "../port.ts";

export interface PackedClaims {
  /** Kind, namespace, name and uid of each. */
  readonly texts: string;
  /** Revision, due time and attempts of each. */
  readonly numbers: Float64Array<ArrayBuffer>;
  readonly firstToken: number;
  readonly expiresAtMs: number;
}

const textsPerClaim = 4;
const numbersPerClaim = 3;
const separator = "\u0000";

export function packClaims(claims: readonly Claim[]): PackedClaims {
  const texts: string[] = [];
  const numbers = new Float64Array(claims.length * numbersPerClaim);
  let at = 0;
  for (const { key, uid, revision, dueAtMs, attempts } of claims) {
    texts.push(key.kind, key.namespace, key.name, uid);
    numbers[at] = revision;
    numbers[at + 1] = dueAtMs;
    numbers[at + 2] = attempts;
    at += numbersPerClaim;
  }
  const { token = 0, expiresAtMs = 0 } = claims[0] ?? {};
  return { texts: texts.join(separator), numbers, firstToken: token, expiresAtMs };
}

export function unpackClaims(packed: PackedClaims): readonly Claim[] {
  const { numbers, firstToken, expiresAtMs } = packed;
  const count = numbers.length / numbersPerClaim;
  const texts = count === 0 ? [] : packed.texts.split(separator);
  assert(texts.length === count * textsPerClaim, "no part of a key holds NUL");
  const claims: Claim[] = [];
  for (let index = 0; index < count; index += 1) {
    const text = index * textsPerClaim;
    const number = index * numbersPerClaim;
    claims.push({
      key: {
        kind: texts[text] ?? "",
        namespace: texts[text + 1] ?? "",
        name: texts[text + 2] ?? "",
      },
      token: firstToken + index,
      uid: texts[text + 3] ?? "",
      revision: numbers[number] ?? 0,
      expiresAtMs,
      dueAtMs: numbers[number + 1] ?? 0,
      attempts: numbers[number + 2] ?? 0,
    });
  }
  return claims;
}
