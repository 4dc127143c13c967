/** A piece of SQL with its values, and the condition that every list begins with. */
import type { ListQuery } from "../port.ts";
import type { Value } from "./sql.ts";

export interface Part {
  readonly sql: string;
  readonly values: readonly Value[];
}

/** The rows of a page's range: after where the last one ended, in one namespace or all. */
export function keyRange(table: string, { namespace, from }: ListQuery): Part {
  const sql: string[] = [];
  const values: Value[] = [];
  if (namespace !== undefined) {
    sql.push(` AND ${table}.namespace = ?`);
    values.push(namespace);
  }
  if (from !== undefined && namespace === from.namespace) {
    sql.push(` AND ${table}.name > ?`);
    values.push(from.name);
  } else if (from !== undefined) {
    sql.push(` AND (${table}.namespace, ${table}.name) > (?, ?)`);
    values.push(from.namespace, from.name);
  }
  return { sql: sql.join(""), values };
}
