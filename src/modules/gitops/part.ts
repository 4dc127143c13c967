// What one folder adds to the module in a process. open.ts lists the folders, one line for each.

import type { OpenModule } from "../../contract/module.ts";
import type { OpenPorts, StartPorts } from "../../contract/ports.ts";
import type { GitOpsConfiguration } from "./configuration.ts";

export interface GitOpsPart extends Pick<
  OpenModule,
  "admission" | "subresources" | "routes" | "healthChecks" | "policyOf" | "explainers"
> {
  /** Adds reconcilers and tasks. `stops` disposes of them in reverse order. */
  readonly start?: (more: StartPorts, stops: AsyncDisposableStack) => Promise<void> | void;
  /** Frees what the part opened, after the engine has stopped. */
  readonly close?: () => Promise<void> | void;
}

/** Given to every part. */
export interface PartInput {
  readonly ports: OpenPorts;
  readonly configuration: GitOpsConfiguration;
}
