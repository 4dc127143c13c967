// The number of replicas of any object that has one.

import { int32, message, of, required, string } from "./message.ts";
import { objectMeta } from "./types-meta.ts";

const prefix = "io.k8s.api.autoscaling.v1";

export const scaleSpec = message(`${prefix}.ScaleSpec`, "How many are wanted.", {
  replicas: [1, int32, "The wanted number."],
});

export const scaleStatus = message(`${prefix}.ScaleStatus`, "How many there are.", {
  replicas: [1, required(int32), "The number seen."],
  selector: [2, string, "The selector in text form."],
});

export const scale = message(`${prefix}.Scale`, "The number of replicas of an object.", {
  metadata: [1, of(objectMeta), "Standard metadata of the resource."],
  spec: [2, of(scaleSpec), "How many are wanted."],
  status: [3, of(scaleStatus), "How many there are."],
});
