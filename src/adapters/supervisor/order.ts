// What the server writes to the input of a supervisor, one object in each line.

import type { SupervisedProgram } from "./port.ts";

export type Order =
  | { readonly kind: "beat" }
  | { readonly kind: "run"; readonly program: SupervisedProgram }
  | { readonly kind: "cancel"; readonly how: "graceful" | "force" }
  | { readonly kind: "detach"; readonly untilMs: number };
