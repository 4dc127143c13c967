// A data plane behind a Kubernetes API. Each instance is one object of the kind that the Offering
// names, in a namespace of its own or in a configured one. Objects are found by their labels, never
// by what this process remembers.

import { KubeError } from "../../../adapters/kubernetes/port.ts";
import type { KubeClient, KubeListener } from "../../../adapters/kubernetes/port.ts";
import type { JsonObject } from "../../../kernel/json.ts";
import { textAt, valueAt } from "../../../kernel/json-read.ts";
import { instanceLabel, instanceObject, namespaceObject } from "./applied-object.ts";
import { readObserved, selectorOf } from "./applied-object.ts";
import type { ObjectSettings, ObservedObject } from "./applied-object.ts";
import { ObjectRefused } from "./data-plane.ts";
import type { DataPlane, DataPlaneListener } from "./data-plane.ts";
import type { DesiredInstance } from "./desired-instance.ts";

export function kubeDataPlane(client: KubeClient, settings: ObjectSettings): DataPlane {
  return new KubeDataPlane(client, settings);
}

const namespaces = "/api/v1/namespaces";

class KubeDataPlane implements DataPlane {
  readonly #client: KubeClient;
  readonly #settings: ObjectSettings;
  #observed = new Map<string, ObservedObject>();
  #plural: string | undefined;

  constructor(client: KubeClient, settings: ObjectSettings) {
    this.#client = client;
    this.#settings = settings;
  }

  async apply(instance: DesiredInstance, signal: AbortSignal): Promise<void> {
    const object = instanceObject(this.#settings, instance);
    const namespace = textAt(object, "metadata", "namespace");
    const plural = await this.#pluralName(signal);
    if (this.#settings.namespace === undefined) await this.#ensureNamespace(instance, signal);
    const path = `${this.#group()}/namespaces/${namespace}/${plural}/${instance.id}`;
    try {
      const applied = readObserved(await this.#client.apply(path, object, signal));
      if (applied !== undefined) this.#observed.set(instance.id, applied);
    } catch (error) {
      if (!(error instanceof KubeError) || ![400, 422].includes(error.status)) throw error;
      throw new ObjectRefused(error.message, { cause: error });
    }
  }

  async remove(id: string, signal: AbortSignal): Promise<boolean> {
    const selector = `${selectorOf(this.#settings)},${instanceLabel}=${id}`;
    const plural = await this.#pluralName(signal);
    const objects = await this.#removeAll(`${this.#group()}/${plural}`, selector, signal);
    // What is inside ends first: its finalizers may need the namespace.
    if (objects > 0) return false;
    if (this.#settings.namespace !== undefined) return true;
    return (await this.#removeAll(namespaces, selector, signal)) === 0;
  }

  observed(id: string): ObservedObject | undefined {
    return this.#observed.get(id);
  }

  async ids(signal: AbortSignal): Promise<readonly string[]> {
    const query = { labelSelector: selectorOf(this.#settings) };
    const plural = await this.#pluralName(signal);
    const objects = await this.#client.list(`${this.#group()}/${plural}`, query, signal);
    const own = this.#settings.namespace === undefined;
    const places = own ? (await this.#client.list(namespaces, query, signal)).items : [];
    const ids = [...objects.items, ...places].map((item) =>
      textAt(item, "metadata", "labels", instanceLabel),
    );
    return [...new Set(ids)].filter((id) => id !== "");
  }

  async follow({ read, changed }: DataPlaneListener, signal: AbortSignal): Promise<void> {
    const path = `${this.#group()}/${await this.#pluralName(signal)}`;
    const query = { labelSelector: selectorOf(this.#settings) };
    const listener: KubeListener = {
      listed: (items) => {
        const before = this.#observed;
        this.#observed = new Map();
        for (const item of items) this.#see(item);
        read();
        for (const id of new Set([...before.keys(), ...this.#observed.keys()])) changed(id);
      },
      changed: (type, object) => {
        const id = textAt(object, "metadata", "labels", instanceLabel);
        if (type === "DELETED") this.#observed.delete(id);
        else this.#see(object);
        if (id !== "") changed(id);
      },
    };
    await this.#client.follow(path, query, listener, signal);
  }

  #see(object: JsonObject): void {
    const seen = readObserved(object);
    if (seen !== undefined) this.#observed.set(seen.id, seen);
  }

  /** How many there were. */
  async #removeAll(path: string, labelSelector: string, signal: AbortSignal): Promise<number> {
    const { items } = await this.#client.list(path, { labelSelector }, signal);
    for (const item of items) {
      if (valueAt(item, "metadata", "deletionTimestamp") !== undefined) continue;
      await this.#client.delete(pathWithin(path, item), textAt(item, "metadata", "uid"), signal);
    }
    return items.length;
  }

  /** A namespace that someone else has created under this name is not used. */
  async #ensureNamespace(instance: DesiredInstance, signal: AbortSignal): Promise<void> {
    const path = `${namespaces}/${instance.namespace}`;
    const found = await this.#client.get(path, signal);
    if (found === undefined) {
      await this.#client.apply(path, namespaceObject(this.#settings, instance), signal);
      return;
    }
    if (textAt(found, "metadata", "labels", instanceLabel) === instance.id) return;
    const message = `the namespace ${instance.namespace} exists and belongs to no instance`;
    throw new ObjectRefused(message);
  }

  #group(): string {
    return `/apis/${this.#settings.applies.apiVersion}`;
  }

  /** The name of the kind in URLs, from discovery. */
  async #pluralName(signal: AbortSignal): Promise<string> {
    if (this.#plural !== undefined) return this.#plural;
    const { apiVersion, kind } = this.#settings.applies;
    const served = await this.#client.findKind({ apiVersion, kind }, signal);
    if (served === undefined) {
      const message = `the data plane does not serve the kind ${kind} of ${apiVersion}`;
      throw new KubeError(404, "UnknownKind", message);
    }
    this.#plural = served.plural;
    return this.#plural;
  }
}

function pathWithin(collection: string, item: JsonObject): string {
  const name = textAt(item, "metadata", "name");
  const namespace = textAt(item, "metadata", "namespace");
  if (namespace === "") return `${collection}/${name}`;
  const slash = collection.lastIndexOf("/");
  const plural = collection.slice(slash + 1);
  return `${collection.slice(0, slash)}/namespaces/${namespace}/${plural}/${name}`;
}
