// The memory that an answer without an end, such as a watch, holds while its client does not take
// it. It is charged to the tenant of the answer.

import type { FairLane } from "./fair-lane.ts";
import type { SharedBytes } from "./shared-bytes.ts";

export interface FlowPorts {
  readonly memory: FairLane;
  readonly shared: SharedBytes;
}

/** Has a life cycle, hence a class. */
export class FlowAccount {
  readonly #ports: FlowPorts;
  readonly #tenant: string;
  #bytes = 0;

  constructor(ports: FlowPorts, tenant: string) {
    this.#ports = ports;
    this.#tenant = tenant;
  }

  /** States the bytes that this answer holds alone. False when the tenant holds too much. */
  hold(bytes: number): boolean {
    const { memory } = this.#ports;
    const more = bytes - this.#bytes;
    this.#bytes = bytes;
    if (more < 0) memory.leave(this.#tenant, -more);
    return more <= 0 || memory.add(this.#tenant, more);
  }

  /** Memory that other answers may hold, too. False when the tenant holds too much. */
  share(memory: Buffer): boolean {
    return this.#ports.shared.hold(this.#tenant, memory);
  }

  unshare(memory: Buffer): void {
    this.#ports.shared.drop(this.#tenant, memory);
  }
}
