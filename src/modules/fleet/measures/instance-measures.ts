// The measures of all instances of one Offering, kept up to date with each change.

import type { GaugeSample } from "../../../contract/ports.ts";
import { decodeDocument } from "../../../kernel/document.ts";
import { keyText } from "../../../kernel/resource.ts";
import type { Change, StoredRecord } from "../../../store/port.ts";
import type { RecordListener } from "../followed-records.ts";
import { phases } from "../lifecycle/phases.ts";
import { countedChange, measuredInstance } from "./measured.ts";
import type { Counted, MeasuredInstance } from "./measured.ts";
import { Tally } from "./tally.ts";

export class InstanceMeasures implements RecordListener {
  readonly #offering: string;
  readonly #count: (counted: Counted) => void;
  readonly #instances = new Map<string, MeasuredInstance>();
  #byStatus = new Tally();
  #byCluster = new Tally();
  #byVersion = new Tally();

  constructor(offering: string, count: (counted: Counted) => void) {
    this.#offering = offering;
    this.#count = count;
    this.restart();
  }

  restart(): void {
    this.#instances.clear();
    this.#byStatus = new Tally();
    this.#byCluster = new Tally();
    this.#byVersion = new Tally();
    for (const status of phases) this.#byStatus.declare({ offering: this.#offering, status });
  }

  load(record: StoredRecord): void {
    this.#put(record);
  }

  change(change: Change): void {
    const key = keyText(change.key);
    const before = this.#instances.get(key);
    if (change.type === "deleted") {
      if (before === undefined) return;
      this.#instances.delete(key);
      this.#tally(before, -1);
      this.#count(countedChange(before, undefined, change.atMs));
      return;
    }
    const after = this.#put(change);
    this.#count(countedChange(before, after, change.atMs));
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

  #put({ key, body, revision }: StoredRecord | Change): MeasuredInstance {
    const text = keyText(key);
    const before = this.#instances.get(text);
    const after = measuredInstance(decodeDocument(body, revision));
    this.#instances.set(text, after);
    if (before !== undefined) this.#tally(before, -1);
    this.#tally(after, 1);
    return after;
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
