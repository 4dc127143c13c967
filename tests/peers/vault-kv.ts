// The KV engine (version 2) of the Vault double, with the semantics that Vault's documentation and
// source state.

export interface KvVersion {
  data: Readonly<Record<string, unknown>> | null;
  readonly created_time: string;
  deletion_time: string;
  destroyed: boolean;
}

interface KvSecret {
  current_version: number;
  readonly versions: Map<number, KvVersion>;
  custom_metadata: Readonly<Record<string, string>> | null;
  max_versions: number;
  cas_required: boolean;
  readonly created_time: string;
}

export interface KvAnswer {
  readonly status: number;
  readonly body?: unknown;
}

const defaultVersions = 10;

export class VaultKv {
  readonly #secrets = new Map<string, KvSecret>();

  answer(method: string, area: string, path: string, query: URLSearchParams, body: Body): KvAnswer {
    switch (`${method} ${area}`) {
      case "GET data":
        return this.#read(path, Number(query.get("version") ?? 0));
      case "POST data":
      case "PUT data":
        return this.#write(path, body);
      case "PATCH data":
        return this.#merge(path, body);
      case "DELETE data":
        return this.#delete(path, [this.#secrets.get(path)?.current_version ?? 0]);
      case "POST delete":
      case "PUT delete":
        return this.#delete(path, versionsIn(body));
      case "POST undelete":
      case "PUT undelete":
        return this.#each(path, versionsIn(body), (version) => (version.deletion_time = ""));
      case "POST destroy":
      case "PUT destroy":
        return this.#each(path, versionsIn(body), (version) => {
          version.data = null;
          version.destroyed = true;
        });
      case "GET metadata":
        return this.#metadata(path);
      case "POST metadata":
      case "PUT metadata":
        return this.#setMetadata(path, body);
      case "DELETE metadata":
        this.#secrets.delete(path);
        return { status: 204 };
      default:
        return problem(405, "unsupported operation");
    }
  }

  #read(path: string, wanted: number): KvAnswer {
    const secret = this.#secrets.get(path);
    const number = wanted === 0 ? (secret?.current_version ?? 0) : wanted;
    const version = secret?.versions.get(number);
    if (secret === undefined || version === undefined) return { status: 404, body: { errors: [] } };
    const { created_time, deletion_time, destroyed } = version;
    const { custom_metadata } = secret;
    const metadata = { version: number, created_time, deletion_time, destroyed, custom_metadata };
    // A deleted version is a 404 with a body: it is not the same as a secret that never existed.
    const isThere = deletion_time === "" && !destroyed;
    const data = isThere ? version.data : null;
    return { status: isThere ? 200 : 404, body: { data: { data, metadata } } };
  }

  #write(path: string, body: Body): KvAnswer {
    const data = body["data"];
    if (typeof data !== "object" || data === null) return problem(400, "no data provided");
    const secret = this.#secrets.get(path) ?? newSecret();
    const { cas } = (body["options"] ?? {}) as { readonly cas?: number };
    if (cas === undefined && secret.cas_required) {
      return problem(400, "check-and-set parameter required for this call");
    }
    if (cas !== undefined && cas !== secret.current_version) {
      return problem(400, "check-and-set parameter did not match the current version");
    }
    return this.#add(path, secret, data as KvVersion["data"]);
  }

  #merge(path: string, body: Body): KvAnswer {
    const secret = this.#secrets.get(path);
    const latest = secret?.versions.get(secret.current_version);
    if (secret === undefined || latest === undefined || latest.deletion_time !== "") {
      return { status: 404, body: { errors: [] } };
    }
    return this.#add(path, secret, { ...latest.data, ...(body["data"] as object) });
  }

  #add(path: string, secret: KvSecret, data: KvVersion["data"]): KvAnswer {
    const created_time = new Date().toISOString();
    secret.current_version += 1;
    const version = { data, created_time, deletion_time: "", destroyed: false };
    secret.versions.set(secret.current_version, version);
    const most = secret.max_versions === 0 ? defaultVersions : secret.max_versions;
    secret.versions.delete(secret.current_version - most);
    this.#secrets.set(path, secret);
    const { custom_metadata, current_version } = secret;
    const facts = { created_time, deletion_time: "", destroyed: false, custom_metadata };
    return { status: 200, body: { data: { ...facts, version: current_version } } };
  }

  #delete(path: string, versions: readonly number[]): KvAnswer {
    return this.#each(path, versions, (version) => {
      if (version.deletion_time === "") version.deletion_time = new Date().toISOString();
    });
  }

  #each(path: string, numbers: readonly number[], change: (each: KvVersion) => void): KvAnswer {
    for (const number of numbers) {
      const version = this.#secrets.get(path)?.versions.get(number);
      if (version !== undefined && !version.destroyed) change(version);
    }
    return { status: 204 };
  }

  #metadata(path: string): KvAnswer {
    const secret = this.#secrets.get(path);
    if (secret === undefined) return { status: 404, body: { errors: [] } };
    const versions = Object.fromEntries(
      [...secret.versions].map(([number, { created_time, deletion_time, destroyed }]) => [
        number,
        { created_time, deletion_time, destroyed },
      ]),
    );
    const { current_version, custom_metadata, max_versions, cas_required, created_time } = secret;
    const oldest_version = Math.min(...secret.versions.keys(), current_version);
    const facts = { current_version, oldest_version, custom_metadata, max_versions, cas_required };
    return { status: 200, body: { data: { ...facts, created_time, versions } } };
  }

  #setMetadata(path: string, body: Body): KvAnswer {
    const secret = this.#secrets.get(path) ?? newSecret();
    const custom = body["custom_metadata"] as Readonly<Record<string, string>> | undefined;
    if (custom !== undefined) {
      const isTooLong = Object.entries(custom).some(([key, value]) => {
        return key.length > 128 || value.length > 512;
      });
      if (isTooLong || Object.keys(custom).length > 64) {
        return problem(400, "custom_metadata validation failed");
      }
      secret.custom_metadata = custom;
    }
    if (typeof body["max_versions"] === "number") secret.max_versions = body["max_versions"];
    if (typeof body["cas_required"] === "boolean") secret.cas_required = body["cas_required"];
    this.#secrets.set(path, secret);
    return { status: 204 };
  }
}

export type Body = Readonly<Record<string, unknown>>;

function versionsIn(body: Body): readonly number[] {
  return ((body["versions"] ?? []) as readonly (number | string)[]).map(Number);
}

function newSecret(): KvSecret {
  return {
    current_version: 0,
    versions: new Map(),
    custom_metadata: null,
    max_versions: 0,
    cas_required: false,
    created_time: new Date().toISOString(),
  };
}

export function problem(status: number, message: string): KvAnswer {
  return { status, body: { errors: [message] } };
}
