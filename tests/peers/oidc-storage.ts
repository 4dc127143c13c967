// The database of an OpenID provider in tests: it outlives a change of the provider's keys, and
// keeps and lists every registered client. The provider checks the expiry of what it reads.
import type { Adapter, AdapterPayload } from "oidc-provider";
import type { JsonObject } from "../../src/kernel/json.ts";

export interface OidcStorage {
  /** One per model of the provider, such as "Client" or "DeviceCode". */
  readonly adapter: (model: string) => Adapter;
  readonly ids: (model: string) => readonly string[];
  /** Undefined when it does not exist. */
  readonly row: (model: string, id: string) => JsonObject | undefined;
  readonly change: (model: string, id: string, change: JsonObject | "delete") => void;
}

export function oidcStorage(): OidcStorage {
  const models = new Map<string, Map<string, AdapterPayload>>();
  const rowsOf = (model: string): Map<string, AdapterPayload> => {
    const rows = models.get(model) ?? new Map<string, AdapterPayload>();
    models.set(model, rows);
    return rows;
  };
  return {
    adapter: (model) => adapterOf(rowsOf(model)),
    ids: (model) => [...rowsOf(model).keys()],
    row: (model, id) => rowsOf(model).get(id) as JsonObject | undefined,
    change: (model, id, change) => {
      const rows = rowsOf(model);
      if (change === "delete") rows.delete(id);
      else rows.set(id, { ...rows.get(id), ...change });
    },
  };
}

function adapterOf(rows: Map<string, AdapterPayload>): Adapter {
  const findBy = async (field: "uid" | "userCode", value: string) =>
    [...rows.values()].find((row) => row[field] === value);
  return {
    upsert: async (id, payload) => void rows.set(id, payload),
    find: async (id) => rows.get(id),
    findByUid: (uid) => findBy("uid", uid),
    findByUserCode: (userCode) => findBy("userCode", userCode),
    consume: async (id) => {
      const row = rows.get(id);
      if (row !== undefined) row.consumed = Math.floor(Date.now() / 1_000);
    },
    destroy: async (id) => void rows.delete(id),
    revokeByGrantId: async (grantId) => {
      for (const [id, row] of rows) if (row.grantId === grantId) rows.delete(id);
    },
  };
}
