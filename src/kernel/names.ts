// The syntax of names, after RFC 1123. Each check returns what is wrong as sentences for people,
// in the words Kubernetes uses, because its clients show and sometimes compare them; an empty
// list means the name is good.

import { limits } from "./limits.ts";

const label = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
const subdomain = `${label}(\\.${label})*`;
const labelPattern = new RegExp(`^${label}$`);
const subdomainPattern = new RegExp(`^${subdomain}$`);

const edges = "and must start and end with an alphanumeric character";

/** Names of resources, groups, and prefixes of label keys. */
export function subdomainProblems(name: string): readonly string[] {
  if (name.length > limits.maxNameLength) return [tooManyCharacters(limits.maxNameLength)];
  if (subdomainPattern.test(name)) return [];
  return [
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, " +
      `'-' or '.', ${edges} (e.g. 'example.com', regex used for validation is '${subdomain}')`,
  ];
}

/** Names of namespaces and plurals. */
export function dnsLabelProblems(name: string): readonly string[] {
  if (name.length > limits.maxDnsLabelLength) return [tooManyCharacters(limits.maxDnsLabelLength)];
  if (labelPattern.test(name)) return [];
  return [
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', " +
      `${edges} (e.g. 'my-name',  or '123-abc', regex used for validation is '${label}')`,
  ];
}

/** Of names; labels are measured in bytes. */
export function tooManyCharacters(maxLength: number): string {
  return `must be no more than ${maxLength} characters`;
}

export function tooLong(maxLength: number): string {
  return `must be no more than ${maxLength} bytes`;
}
