// The measures of all instances of one Offering, kept up to date with each change.

import type { GaugeSample } from "../../../contract/ports.ts";
import { phases } from "../lifecycle/phases.ts";
import { countedChange } from "./measured.ts";
import type { Counted, MeasuredInstance } from "./measured.ts";
import { Tally } from "./tally.ts";

export class InstanceMeasures {
  readonly #offering: string;
  readonly #count: (counted: Counted) => void;
  readonly #byStatus = new Tally();
  readonly #byCluster = new Tally();
  readonly #byVersion = new Tally();

  constructor(offering: string, count: (counted: Counted) => void) {
    this.#offering = offering;
    this.#count = count;
    for (const status of phases) this.#byStatus.declare({ offering, status });
  }

  /** `atMs` is undefined for instances that were stored before: they are not counted again. */
  change(
    after: MeasuredInstance | undefined,
    before: MeasuredInstance | undefined,
    atMs: number | undefined,
  ): void {
    if (before !== undefined) this.#tally(before, -1);
    if (after !== undefined) this.#tally(after, 1);
    if (atMs !== undefined) this.#count(countedChange(before, after, atMs));
  }

  byStatus(): Iterable<GaugeSample> {
    return this.#byStatus.samples();
  }

  byCluster(): Iterable<GaugeSample> {
    return this.#byCluster.samples();
  }

  byVersion(): Iterable<GaugeSample> {
    return this.#byVersion.samples();
  }

  #tally({ status, cluster, versions }: MeasuredInstance, by: 1 | -1): void {
    const offering = this.#offering;
    this.#byStatus.add({ offering, status }, by);
    if (cluster !== "") this.#byCluster.add({ offering, cluster_id: cluster }, by);
    for (const { component, type, version } of versions) {
      this.#byVersion.add({ offering, component, type, version }, by);
    }
  }
}
