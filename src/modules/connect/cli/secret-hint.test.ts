// Who imports a service learns how to give it credentials.
import assert from "node:assert/strict";
import { it } from "node:test";
import { secretHint } from "./secret-hint.ts";

it("tells the command that makes the Secret, with the keys that are needed", () => {
  const hint = (auth: { readonly [part: string]: string }): string | undefined =>
    secretHint({ spec: { baseUrl: "http://x", secretNamespace: "default", auth } });
  assert.equal(
    hint({ kind: "basic", secret: "dns" }),
    "the service needs authentication (basic); create the Secret that the Connection names: " +
      "kubectl create secret generic dns --namespace default " +
      "--from-literal=username=... --from-literal=password=...",
  );
  assert.match(hint({ kind: "apiKey", secret: "dns" }) ?? "", / --from-literal=key=\.\.\.$/);
  assert.match(hint({ kind: "bearer", secret: "dns" }) ?? "", / --from-literal=token=\.\.\.$/);
  assert.match(hint({ kind: "bearer", secret: "dns", key: "mine" }) ?? "", /literal=mine=\.\.\.$/);
  assert.equal(secretHint({ spec: { baseUrl: "http://x" } }), undefined);
});
