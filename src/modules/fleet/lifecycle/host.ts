// The host of an instance: the beginning of its name and its id, as one DNS label, below the domain
// of the Offering or of the cluster. Pure.

export interface HostParts {
  readonly name: string;
  readonly id: string;
  /** Of the Offering; undefined: the domain of the cluster. */
  readonly domain: string | undefined;
  /** Domain of the ingress of the cluster, such as apps.eu-1.example.com. */
  readonly clusterDomain: string;
  /** Takes the place of "apps" in the domain of the cluster. */
  readonly product: string;
}

const nameChars = 10;
const maxLabelChars = 63;

export function hostOf({ name, id, domain, clusterDomain, product }: HostParts): string {
  const label = dnsLabel(`${name.slice(0, nameChars)}-${id}`);
  const parent = domain ?? clusterDomain.replace(/^apps(?=\.)/, product);
  return `${label}.${parent}`;
}

/** Such as admin-server-rex-1.dinosaurs.example for the prefix admin-server. */
export function routeDomain(host: string, prefix: string): string {
  return prefix === "" ? host : `${prefix}-${host}`;
}

function dnsLabel(text: string): string {
  const label = text
    .toLowerCase()
    .replaceAll(/[^a-z0-9-]/g, "-")
    .replace(/^[^a-z]+/, "")
    .slice(0, maxLabelChars)
    .replace(/-+$/, "");
  return label === "" ? "instance" : label;
}
