// Which life of a namespace a watch shows. A namespace that was deleted and created again may
// belong to other people, so a watch neither continues into the next life nor shows the last one.

import { SetpointError } from "../../../kernel/errors.ts";
import type { ResourceKey } from "../../../kernel/resource.ts";
import type { FleetRoutePorts } from "./fleet-route.ts";

export class NamespaceLife {
  readonly #ports: Pick<FleetRoutePorts, "live" | "store">;
  readonly #key: ResourceKey;
  /** Undefined until the namespace exists. */
  #uid: string | undefined;

  constructor(ports: Pick<FleetRoutePorts, "live" | "store">, name: string) {
    this.#ports = ports;
    this.#key = { kind: "namespaces", namespace: "", name };
    this.#uid = this.#present();
  }

  /** Throws history.gone when the namespace was deleted after `from`. */
  async checkSince(from: number): Promise<void> {
    const { store } = this.#ports;
    let before = Infinity;
    while (before > from) {
      const newest = Number.isFinite(before) ? { before } : {};
      const page = await store.history(this.#key, { limit: pageItems, ...newest });
      const isEnd = page.some(({ type, revision }) => type === "deleted" && revision > from);
      if (isEnd) throw this.#gone();
      before = page.at(-1)?.revision ?? 0;
    }
  }

  /** Throws history.gone when the changes from `from` to `to` may be of another life. */
  async check(from: number, to: number): Promise<void> {
    await this.#ports.live.reached(to);
    const uid = this.#present();
    if (uid === this.#uid) return;
    if (this.#uid !== undefined) throw this.#gone();
    await this.checkSince(from);
    this.#uid = uid;
  }

  #present(): string | undefined {
    return this.#ports.live.get(this.#key)?.resource.metadata.uid;
  }

  #gone(): SetpointError {
    const message = `the namespace ${this.#key.name} was deleted after the version of the watch`;
    return new SetpointError("history.gone", message, {
      suggestion: "watch without gt_version, which begins with the present state",
    });
  }
}

const pageItems = 100;
