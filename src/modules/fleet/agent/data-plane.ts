/**
 * Where an agent applies the instances of one Offering. Two implementations: a Kubernetes API, and
 * a simulator in memory.
 */
import type { ObservedObject } from "./applied-object.ts";
import type { DesiredInstance } from "./desired-instance.ts";

export interface DataPlane {
  /** Brings the object of an instance to what is desired. Idempotent. */
  apply(instance: DesiredInstance, signal: AbortSignal): Promise<void>;
  /** True when nothing of the instance is left. Idempotent. */
  remove(id: string, signal: AbortSignal): Promise<boolean>;
  /** What was last seen of the object of an instance. */
  observed(id: string): ObservedObject | undefined;
  /** Ids of everything that exists, also of what an earlier agent has left. */
  ids(signal: AbortSignal): Promise<readonly string[]>;
  /**
   * Keeps `observed` current, and calls `changed` with the id of each instance that has changed.
   * Ends when the signal aborts; rejects when the data plane cannot be followed any more.
   */
  follow(listener: DataPlaneListener, signal: AbortSignal): Promise<void>;
}

export interface DataPlaneListener {
  /** Everything that exists has been read. */
  readonly read: () => void;
  readonly changed: (id: string) => void;
}

/** An object that the data plane will not take before it changes. */
export class ObjectRefused extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "ObjectRefused";
  }
}
