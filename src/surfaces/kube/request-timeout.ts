// The `timeout` parameter of a request, a duration as Go writes it. Requests here are bounded by
// limits of their own, so it is only checked: a client learns of a mistake as from kube-apiserver.

import { badRequest } from "../../intents/refusals.ts";

const duration = /^[+-]?(?:0|(?:(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+)$/;
const withoutUnit =
  /^[+-]?(?:(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))*(?:\d+(?:\.\d*)?|\.\d+)$/;

export function checkTimeout(query: URLSearchParams): void {
  const asked = query.get("timeout");
  if (asked === null || asked === "" || duration.test(asked)) return;
  const what = withoutUnit.test(asked) ? "missing unit in duration" : "invalid duration";
  const why = `time: ${what} ${JSON.stringify(asked)}`;
  throw badRequest(`invalid timeout specified in the request URL - ${why}`);
}
