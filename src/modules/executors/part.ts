// What one executor adds to the module. A folder exports a function that returns a part; open.ts
// lists the functions, one line for each.

import type { OpenModule } from "../../contract/module.ts";
import type { OpenPorts, StartPorts } from "../../contract/ports.ts";

export interface ExecutorPart extends Pick<
  OpenModule,
  "admission" | "subresources" | "routes" | "healthChecks" | "policyOf"
> {
  /** Adds reconcilers and tasks. `stops` disposes of them in reverse order. */
  readonly start?: (more: StartPorts, stops: AsyncDisposableStack) => Promise<void> | void;
  /** Frees what the part opened, after the engine has stopped. */
  readonly close?: () => Promise<void> | void;
}

export type OpenPart = (ports: OpenPorts) => ExecutorPart;
