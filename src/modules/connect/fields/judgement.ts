// What was decided about one field, by what, and how sure it is.

import type { FieldClass, Provenance, SecretProvenance } from "../binding.ts";

export interface Judgement {
  readonly path: string;
  readonly class: FieldClass;
  readonly isSecret: boolean;
  /** What decided whether it is secret; undefined where nothing did. */
  readonly secretFrom: SecretProvenance | undefined;
  readonly isDefaulted: boolean;
  /** Undefined when nothing speaks for anything: it is writable by default. */
  readonly from: Provenance | undefined;
  readonly why: string;
  /** 1 is certain. */
  readonly confidence: number;
}

export interface Verdict {
  readonly class: FieldClass;
  readonly from: Provenance;
  readonly why: string;
  readonly confidence: number;
}
