// The value that a literal token stands for, or why it stands for none.

import type { LiteralValue } from "./ast.ts";
import type { Token } from "./token.ts";
import { unescapeBytes, unescapeString } from "./unescape.ts";
import { bytes, double, int, maxInt, maxUint, minInt, uint } from "./values.ts";

export type LiteralResult =
  | { readonly kind: "value"; readonly value: LiteralValue }
  | { readonly kind: "problem"; readonly message: string };

export function literalOf(token: Token, isNegative: boolean): LiteralResult {
  switch (token.kind) {
    case "NUM_INT": {
      const magnitude = BigInt(token.text);
      const value = isNegative ? -magnitude : magnitude;
      return value < minInt || value > maxInt ? problem("invalid int literal") : found(int(value));
    }
    case "NUM_UINT": {
      const value = BigInt(token.text.slice(0, -1));
      return value > maxUint ? problem("invalid uint literal") : found(uint(value));
    }
    case "NUM_FLOAT": {
      const value = Number(token.text);
      if (!Number.isFinite(value)) return problem("invalid double literal");
      return found(double(isNegative ? -value : value));
    }
    case "STRING":
      return unescapeString(token.text);
    case "BYTES": {
      const unescaped = unescapeBytes(token.text.slice(1));
      return unescaped.kind === "value" ? found(bytes(unescaped.value)) : unescaped;
    }
    case "null":
      return found(null);
    default:
      return found(token.kind === "true");
  }
}

function found(value: LiteralValue): LiteralResult {
  return { kind: "value", value };
}

function problem(message: string): LiteralResult {
  return { kind: "problem", message };
}
