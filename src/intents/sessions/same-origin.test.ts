import assert from "node:assert/strict";
import { it } from "node:test";
import { hostOf, isOwnHost, originOf, originProblem } from "./same-origin.ts";

const own = { headers: { host: "setpoint.example:7443" }, method: "POST", isSecure: true };
const withHeaders = (headers: Readonly<Record<string, string>>, method = "POST") => ({
  ...own,
  method,
  headers: { ...own.headers, ...headers },
});

it("a host is read from either protocol, and refused where both differ", () => {
  assert.deepEqual(hostOf(own), { name: "setpoint.example", port: "7443" });
  assert.deepEqual(hostOf({ headers: { ":authority": "[::1]:80" } }), { name: "::1", port: "80" });
  assert.deepEqual(hostOf({ headers: { host: "A.Example." } }), { name: "a.example", port: "" });
  for (const host of ["", "a b", "a/b", "user@a", "a:b", "a:123456", "[::1", "a,b", "é.example"]) {
    assert.equal(hostOf({ headers: { host } }), undefined, host);
  }
  assert.equal(hostOf({ headers: { host: "a", ":authority": "b" } }), undefined);
  assert.equal(hostOf({ headers: {} }), undefined);
});

it("a host is an own name or an address", () => {
  const names = new Set(["localhost", "setpoint.example"]);
  for (const host of ["localhost:1", "SETPOINT.example", "10.0.0.1:7443", "[fe80::1]:7443"]) {
    const read = hostOf({ headers: { host } });
    assert.ok(read !== undefined && isOwnHost(read, names), host);
  }
  for (const host of ["evil.example", "127.0.0.1.evil.example", "localhost.evil.example"]) {
    const read = hostOf({ headers: { host } });
    assert.ok(read !== undefined && !isOwnHost(read, names), host);
  }
});

it("an origin has no default port", () => {
  assert.equal(originOf(own), "https://setpoint.example:7443");
  assert.equal(originOf({ headers: { host: "a.example:443" } }), "https://a.example");
  assert.equal(originOf({ headers: { host: "a:80" }, isSecure: false }), "http://a");
});

it("a request that changes something must come from a page of the same origin", () => {
  const accepted = [
    { origin: "https://setpoint.example:7443" },
    { "sec-fetch-site": "same-origin" },
    { "sec-fetch-site": "same-origin", origin: "https://setpoint.example:7443" },
  ];
  for (const headers of accepted) assert.equal(originProblem(withHeaders(headers)), undefined);
  const refused: readonly Readonly<Record<string, string>>[] = [
    {},
    { origin: "null" },
    { origin: "https://setpoint.example" },
    { origin: "http://setpoint.example:7443" },
    { "sec-fetch-site": "none", "sec-fetch-mode": "navigate" },
    { "sec-fetch-site": "same-site" },
    { "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate" },
    { "sec-fetch-site": "same-origin", origin: "https://evil.example" },
    { "sec-fetch-site": "odd" },
  ];
  for (const headers of refused) {
    for (const method of ["POST", "PUT", "PATCH", "DELETE", "OPTIONS"]) {
      const problem = originProblem(withHeaders(headers, method));
      assert.notEqual(problem, undefined, `${method} ${JSON.stringify(headers)}`);
    }
  }
});

it("a page may be opened from another site, and its data is not read by one", () => {
  const opened = { "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate" };
  assert.equal(originProblem(withHeaders(opened, "GET")), undefined);
  assert.equal(originProblem(withHeaders({}, "GET")), undefined);
  const image = { "sec-fetch-site": "same-site", "sec-fetch-mode": "no-cors" };
  assert.notEqual(originProblem(withHeaders(image, "GET")), undefined);
});
