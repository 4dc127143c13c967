import assert from "node:assert/strict";
import { test } from "node:test";
import { manualClock } from "../../kernel/clock.ts";
import { SetpointError } from "../../kernel/errors.ts";
import { manualTimers } from "../../kernel/manual-timers.ts";
import { deviceLogin, nextInterval } from "./device-login.ts";
import type { Answer, Form, Issuer } from "./issuer-client.ts";

const issuer: Issuer = {
  url: "https://login.test",
  tokenEndpoint: "https://login.test/token",
  deviceEndpoint: "https://login.test/device",
  scopes: [],
  authMethods: [],
};
const code = {
  device_code: "d-1",
  user_code: "ABCD-EFGH",
  verification_uri: "https://login.test/\u001b[2Jdevice",
  expires_in: 60,
};
const ok = (document: Record<string, string | number>): Answer => ({ kind: "ok", document });
const refused = (error: string): Answer => ({ kind: "refused", error, description: "" });
const tokens = ok({ access_token: "a.b.c", token_type: "Bearer", expires_in: 300 });

/** The times of all requests in seconds after the start, and the result or the error. */
async function loginWith(start: Answer, polls: readonly (Answer | Error)[]) {
  const clock = manualClock(0);
  const timers = manualTimers(clock);
  const posts: (Form & { readonly atSeconds: number; readonly url: string })[] = [];
  const shown: string[] = [];
  const left = [...polls];
  const login = deviceLogin({
    issuer,
    client: { clientId: "cli", scope: "openid" },
    requests: {
      post: async (url, form) => {
        posts.push({ ...form, url, atSeconds: clock.nowMs() / 1_000 });
        const next = url === issuer.deviceEndpoint ? start : left.shift();
        if (next === undefined) return refused("authorization_pending");
        if (next instanceof Error) throw next;
        return next;
      },
    },
    clock,
    timers,
    show: (line) => void shown.push(line),
  }).then(
    ({ accessToken }) => accessToken,
    (error: unknown) => error,
  );
  await timers.advance(7_200_000);
  return { result: await login, times: posts.map(({ atSeconds }) => atSeconds), posts, shown };
}

test("a login shows the page and the code, and polls as often as the issuer wants", async () => {
  const pending = refused("authorization_pending");
  const { result, times, posts, shown } = await loginWith(ok({ ...code, interval: 2 }), [
    pending,
    pending,
    tokens,
  ]);
  assert.equal(result, "a.b.c");
  assert.deepEqual(times, [0, 2, 4, 6]);
  assert.deepEqual(posts[0]?.fields, { client_id: "cli", scope: "openid" });
  assert.deepEqual(posts[1]?.fields, {
    client_id: "cli",
    grant_type: "urn:ietf:params:oauth:grant-type:device_code",
    device_code: "d-1",
  });
  assert.deepEqual(shown, ["Open https://login.test/?[2Jdevice and enter the code ABCD-EFGH"]);
});

test("slow_down adds five seconds, and a lost connection doubles the pause", async () => {
  const lost = new SetpointError("server.unreachable", "no usable response");
  const { result, times } = await loginWith(ok(code), [refused("slow_down"), lost, tokens]);
  assert.equal(result, "a.b.c");
  assert.deepEqual(times, [0, 5, 15, 35]);
  assert.equal(nextInterval("unreachable", 50_000), 60_000);
  assert.equal(nextInterval(refused("slow_down"), 58_000), 60_000);
});

test("polling ends with the code, a refusal or a fault of the issuer", async () => {
  const late = await loginWith(ok(code), []);
  assert.match(String(late.result), /expired_token/);
  assert.equal(late.times.at(-1), 55);
  const denied = await loginWith(ok(code), [refused("access_denied")]);
  assert.match(String(denied.result), /access_denied/);
  assert.equal(
    (denied.result as SetpointError).suggestion?.includes("run the command again"),
    true,
  );
  assert.match(
    String((await loginWith(refused("invalid_client"), [])).result),
    /the issuer refused the request: invalid_client/,
  );
  assert.match(String((await loginWith(ok({}), [])).result), /did not return a device code/);
});
