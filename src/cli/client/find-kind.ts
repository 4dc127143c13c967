/**
 * Which kind is meant by what a person typed: plural, singular, Kind or short name, with or without
 * its group, as kubectl takes it. The server's own discovery decides, in its own order.
 */
import type { KindAddress } from "../../contract/command.ts";
import { SetpointError, isSetpointError } from "../../kernel/errors.ts";
import type { Json } from "../../kernel/json.ts";
import { objectsAt, textAt, textsAt } from "../../kernel/json-read.ts";
import type { ApiClient } from "./api-client.ts";

interface Candidate extends KindAddress {
  readonly names: ReadonlySet<string>;
}

const accept = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

export async function findKind(client: ApiClient, text: string): Promise<KindAddress> {
  const candidates = await servedKinds(client);
  const wanted = text.toLowerCase();
  const found = candidates.find(({ names }) => names.has(wanted)) ?? qualified(candidates, wanted);
  if (found !== undefined) return found;
  throw noSuchKind(text, await unusableModules(client));
}

function noSuchKind(text: string, modules: readonly string[]): SetpointError {
  const missing = `the server has no kind ${JSON.stringify(text)}`;
  if (modules.length === 0) {
    const suggestion = "list the kinds with kubectl api-resources";
    return new SetpointError("resource.not_found", missing, { suggestion });
  }
  const may = "it may be a kind of a module that is not usable";
  const message = `${missing}; ${may}: ${modules.join("; ")}`;
  const suggestion = "correct the module, then check it with setpoint doctor --module FILE";
  return new SetpointError("resource.not_found", message, { suggestion });
}

/** The kinds of a module that was never loaded are not known. Empty if the caller may not know. */
async function unusableModules(client: ApiClient): Promise<readonly string[]> {
  try {
    return textsAt(await client.get("/operations?limit=3"), "unusableModules");
  } catch (error) {
    if (isSetpointError(error)) return [];
    throw error;
  }
}

/** All kinds that have resources, in the order of the server, which is that of preference. */
export async function servedKinds(client: ApiClient): Promise<readonly Candidate[]> {
  const [core, groups] = await Promise.all([
    client.get("/api", accept),
    client.get("/apis", accept),
  ]);
  return [...candidatesIn(core), ...candidatesIn(groups)];
}

/** The path of a resource of the kind. */
export function pathTo(address: KindAddress, namespace: string, name: string): string {
  const { group, version, plural, isNamespaced } = address;
  const api = group === "" ? `/api/${version}` : `/apis/${group}/${version}`;
  const place = isNamespaced ? `/namespaces/${encodeURIComponent(namespace)}` : "";
  return `${api}${place}/${plural}/${encodeURIComponent(name)}`;
}

/** As "plural.group" or "plural.version.group". */
function qualified(candidates: readonly Candidate[], text: string): Candidate | undefined {
  const [name = "", ...rest] = text.split(".");
  const behind = rest.join(".");
  return candidates.find(({ names, group, version }) => {
    return names.has(name) && (behind === group || behind === `${version}.${group}`);
  });
}

function candidatesIn(discovery: Json): readonly Candidate[] {
  return objectsAt(discovery, "items").flatMap((item) =>
    objectsAt(item, "versions").flatMap((version) =>
      objectsAt(version, "resources").flatMap((resource): readonly Candidate[] => {
        const plural = textAt(resource, "resource");
        const kind = textAt(resource, "responseKind", "kind");
        if (plural === "" || !textsAt(resource, "verbs").includes("get")) return [];
        const singular = textAt(resource, "singularResource");
        const shorts = textsAt(resource, "shortNames");
        return [
          {
            group: textAt(item, "metadata", "name"),
            version: textAt(version, "version"),
            plural,
            kind,
            isNamespaced: textAt(resource, "scope") === "Namespaced",
            names: new Set([plural, singular, kind.toLowerCase(), ...shorts]),
          },
        ];
      }),
    ),
  );
}
