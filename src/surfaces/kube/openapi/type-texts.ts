// Texts that `kubectl explain` shows for the parts that every kind has. They are kube-apiserver's
// own, since its users know them by heart and tools compare them.

import { prose } from "../table/column.ts";

const conventions =
  "https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md";

export const apiVersionText = prose(
  "APIVersion defines the versioned schema of this representation of an object. ",
  "Servers should convert recognized schemas to the latest internal value, ",
  `and may reject unrecognized values. More info: ${conventions}#resources`,
);

export const kindText = prose(
  "Kind is a string value representing the REST resource this object represents. ",
  "Servers may infer this from the endpoint the client submits requests to. ",
  `Cannot be updated. In CamelCase. More info: ${conventions}#types-kinds`,
);

export const metadataText = `Standard object's metadata. More info: ${conventions}#metadata`;

export const listMetadataText = prose(
  "Standard list metadata. ",
  `More info: ${conventions}#types-kinds`,
);

export const embeddedApiVersionText = prose(
  "apiVersion defines the versioned schema of this representation of an object. ",
  `More info: ${conventions}#resources`,
);

export const embeddedKindText = prose(
  "kind is a string value representing the type of this object. In CamelCase. ",
  `More info: ${conventions}#types-kinds`,
);

export function listItemsText(plural: string): string {
  return `List of ${plural}. More info: ${conventions}`;
}
