// Operations gathered by path. Parameters that all operations of a path share stand beside them,
// which is where generated clients look for the name and the namespace.

import type { JsonObject, MutableJsonObject } from "../../../kernel/json.ts";
import type { Method, Operation } from "./operation.ts";
import { parameters } from "./parameters.ts";
import type { Parameter, ParameterName } from "./parameters.ts";

export interface PathItem {
  readonly path: string;
  readonly shared: readonly ParameterName[];
  readonly operations: ReadonlyMap<Method, ItemOperation>;
}

export interface ItemOperation {
  readonly operation: Operation;
  /** Without the shared ones. */
  readonly own: readonly ParameterName[];
}

/** Sorted by path. */
export function pathItems(operations: readonly Operation[]): readonly PathItem[] {
  const byPath = new Map<string, Operation[]>();
  for (const operation of operations) {
    const known = byPath.get(operation.path);
    if (known === undefined) byPath.set(operation.path, [operation]);
    else known.push(operation);
  }
  return [...byPath].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(pathItem);
}

function pathItem([path, operations]: readonly [string, readonly Operation[]]): PathItem {
  const [first] = operations;
  const shared = (first?.parameters ?? []).filter((name) =>
    operations.every((operation) => operation.parameters.includes(name)),
  );
  const items = operations
    .toSorted((a, b) => (a.method < b.method ? -1 : 1))
    .map((operation): [Method, ItemOperation] => {
      const own = operation.parameters.filter((name) => !shared.includes(name));
      return [operation.method, { operation, own }];
    });
  return { path, shared, operations: new Map(items) };
}

/** The fields of one path; how operations and parameters are written differs between versions. */
export function pathFields(
  { shared, operations }: PathItem,
  operationFields: (item: ItemOperation) => JsonObject,
  parameterFields: (name: ParameterName, operation: Operation | undefined) => JsonObject,
): JsonObject {
  const fields: MutableJsonObject = {};
  const [first] = operations.values();
  for (const [method, item] of operations) fields[method] = operationFields(item);
  const described = shared.map((name) => parameterFields(name, first?.operation));
  if (described.length > 0) fields["parameters"] = described;
  return fields;
}

/** The parameter as it is described for one kind. */
export function describedParameter(
  name: ParameterName,
  operation: Operation | undefined,
): Parameter {
  const known = parameters[name];
  if (name !== "name" || operation === undefined) return known;
  return { ...known, description: `name of the ${operation.nameOf}` };
}
