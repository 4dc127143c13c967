// Which fields of a manifest the Kubernetes API does not have, or has with another type, by the
// models of the official client. They name the fields of each type, as `kubectl` checks them.
import * as models from "@kubernetes/client-node";

interface Attribute {
  readonly name: string;
  readonly baseName: string;
  readonly type: string;
}

interface Model {
  getAttributeTypeMap(): readonly Attribute[];
}

const plain = new Set(["any", "Date", "IntOrString", "object"]);

/** Paths of wrong fields, such as "spec.replica: unknown field". */
export function wrongFields(manifest: Readonly<Record<string, unknown>>): readonly string[] {
  const { apiVersion, kind } = manifest as { readonly apiVersion: string; readonly kind: string };
  const version = apiVersion.split("/").at(-1) ?? "";
  const name = `${version[0]?.toUpperCase()}${version.slice(1)}${kind}`;
  const model = modelNamed(name);
  if (model === undefined) return [`${apiVersion} ${kind}: unknown type`];
  return inModel(manifest, model, "");
}

function inValue(value: unknown, type: string, path: string): readonly string[] {
  const list = /^Array<(.+)>$/.exec(type)?.[1];
  if (list !== undefined) {
    if (!Array.isArray(value)) return [`${path}: not a list`];
    return value.flatMap((item, index) => inValue(item, list, `${path}[${index}]`));
  }
  if (type.startsWith("{")) return [];
  if (type === "string" || type === "number" || type === "boolean") {
    return typeof value === type ? [] : [`${path}: not a ${type}`];
  }
  if (plain.has(type)) return [];
  const model = modelNamed(type);
  return model === undefined ? [`${path}: unknown type ${type}`] : inModel(value, model, path);
}

function inModel(value: unknown, model: Model, path: string): readonly string[] {
  if (typeof value !== "object" || value === null) return [`${path}: not an object`];
  const fields = new Map(model.getAttributeTypeMap().map((each) => [each.baseName, each.type]));
  return Object.entries(value).flatMap(([name, inner]) => {
    const type = fields.get(name);
    const at = path === "" ? name : `${path}.${name}`;
    return type === undefined ? [`${at}: unknown field`] : inValue(inner, type, at);
  });
}

function modelNamed(name: string): Model | undefined {
  const found = (models as Readonly<Record<string, unknown>>)[name];
  return typeof found === "function" ? (found as unknown as Model) : undefined;
}
