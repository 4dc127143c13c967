// The rows of the changes of one page of the log. They are read before the documents of the page
// are dropped, so that a stream with rows holds no documents.

import type { RoutePorts } from "../../contract/route.ts";
import type { ServedKind } from "../../intents/kinds/served-kind.ts";
import { projectionOf } from "../../intents/read-model/row.ts";
import type { Projection } from "../../intents/read-model/row.ts";
import type { JsonObject } from "../../kernel/json.ts";
import type { Change } from "../../store/port.ts";
import { rowJson } from "./row-json.ts";

export class ChangedRows {
  readonly #kinds: RoutePorts["kinds"];
  readonly #projections = new WeakMap<ServedKind, Projection>();
  readonly #rows = new Map<number, JsonObject>();

  constructor({ kinds }: Pick<RoutePorts, "kinds">) {
    this.#kinds = kinds;
  }

  /** Bound, since it is passed on. */
  readonly note = (change: Change): void => {
    if (change.type === "deleted") return;
    const served = this.#kinds.byId(change.key.kind);
    if (served === undefined) return;
    let projection = this.#projections.get(served);
    if (projection === undefined) {
      projection = projectionOf(served);
      this.#projections.set(served, projection);
    }
    const row = rowJson(projection.columns, projection.rowOf(change), { hasLabels: true });
    this.#rows.set(change.revision, row);
  };

  of({ revision }: Pick<Change, "revision">): { readonly row?: JsonObject } {
    const row = this.#rows.get(revision);
    return row === undefined ? {} : { row };
  }

  clear(): void {
    this.#rows.clear();
  }
}
