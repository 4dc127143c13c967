// What signs are worth, and what they add up to. The tables are made by tools/connect/tune.ts.

export interface Weights {
  readonly bias: number;
  /** From this probability on it is believed. */
  readonly threshold: number;
  readonly of: ReadonlyMap<string, number>;
}

/** Lines of "sign weight;", where a sign may have blanks in it. */
export function readWeights(bias: number, threshold: number, table: string): Weights {
  const of = new Map<string, number>();
  for (const entry of table.split(";")) {
    const text = entry.trim();
    const at = text.lastIndexOf(" ");
    if (at > 0) of.set(text.slice(0, at), Number(text.slice(at + 1)));
  }
  return { bias, threshold, of };
}

export interface Sum {
  readonly probability: number;
  /** The sign that spoke loudest for it. */
  readonly strongest: string;
}

export function probabilityOf({ bias, of }: Weights, signs: readonly string[]): Sum {
  let sum = bias;
  let strongest = "";
  let most = 0;
  for (const sign of signs) {
    const weight = of.get(sign) ?? 0;
    sum += weight;
    if (weight <= most) continue;
    most = weight;
    strongest = sign;
  }
  return { probability: 1 / (1 + Math.exp(-sum)), strongest };
}
