/** Vault in a process: admission, reconcilers, and the sessions with the servers. */
import { createTokenSigner, tokenIssuer } from "../../../intents/auth/service-account-token.ts";
import { sharedSigningKey } from "../../../intents/auth/shared-signing-key.ts";
import type { AdmissionRequest } from "../../../intents/admission/admission.ts";
import type { LiveView } from "../../../intents/live-view.ts";
import type { Intents } from "../../../intents/request.ts";
import { objectAt, textAt } from "../../../kernel/json-read.ts";
import { ReconcileFailure, failed } from "../../../engine/outcome.ts";
import { executorLimits } from "../limits.ts";
import type { OpenPart } from "../part.ts";
import { identityGuard } from "../../../acting/identity.ts";
import { vaultWith } from "./client.ts";
import { readReconciler } from "./read-reconciler.ts";
import { secretReconciler } from "./secret-reconciler.ts";
import { vaultServerReconciler } from "./server-reconciler.ts";
import { VaultSessions } from "./sessions.ts";
import type { IssueJwt } from "./sessions.ts";
import { isOwnAudience, vaultGuard } from "./vault-guard.ts";
import { vaultReadsKind, vaultSecretsKind, vaultServersKind } from "./vault-kinds.ts";

export const openVault: OpenPart = ({ callJson, store, live, authorizer }) => {
  const open = vaultWith(callJson);
  return {
    admission: [
      identityGuard("VaultIdentity", authorizer, (request) => isAccountUsed(live, request)),
      vaultGuard({ live, authorizer }),
    ],
    start: ({ engine, ownIntents }, stops) => {
      const sessions = new VaultSessions(jwtIssuer(ownIntents));
      stops.defer(engine.add(vaultServerReconciler(open, store)));
      stops.defer(engine.add(secretReconciler({ openVault: open, sessions })));
      stops.defer(engine.add(readReconciler({ openVault: open, sessions })));
    },
  };
};

/** A ServiceAccount that is named counts also while the VaultServer does not use it. */
function isAccountUsed(
  live: Pick<LiveView, "get">,
  { target, object }: Pick<AdmissionRequest, "target" | "object">,
): boolean {
  if (target.served.id !== vaultSecretsKind && target.served.id !== vaultReadsKind) return false;
  if (textAt(object, "spec", "serviceAccountName") !== "") return true;
  const name = textAt(object, "spec", "server");
  const server = live.get({ kind: vaultServersKind, namespace: "", name })?.resource;
  const jwt = objectAt(server, "spec", "auth", "jwt");
  return textAt(jwt, "role") !== "" && textAt(jwt, "serviceAccount", "name") === "";
}

/** Tokens as TokenRequest issues them, for the audience that Vault expects. */
function jwtIssuer(intents: Intents): IssueJwt {
  return async ({ namespace, name, audience }) => {
    if (isOwnAudience(audience)) {
      const message = `the audience ${audience} is that of this server: state another one`;
      throw new ReconcileFailure(failed("AudienceForbidden", message, { retry: "slow" }));
    }
    const account = await intents.store.get({ kind: "serviceaccounts", namespace, name });
    if (account === undefined) {
      const message = `the ServiceAccount ${namespace}/${name} does not exist: create it`;
      throw new ReconcileFailure(failed("NoServiceAccount", message));
    }
    const signer = createTokenSigner({
      issuer: tokenIssuer,
      keys: [await sharedSigningKey(intents)],
      ids: intents.ids,
    });
    return await signer.sign({
      namespace,
      serviceAccount: { name, uid: account.uid },
      audiences: [audience],
      issuedAtMs: intents.clock.nowMs(),
      expirationSeconds: executorLimits.vaultJwtSeconds,
    });
  };
}
