// The token of the agent of a cluster: a token of its ServiceAccount, as TokenRequest issues it. It
// is bound to the uid of the account, so that it ends with the cluster. Executors install it before
// half of its time is over: `tokenEpoch` changes then, and with it the installation.

import { createTokenSigner, tokenIssuer } from "../../../intents/auth/service-account-token.ts";
import { sharedSigningKey } from "../../../intents/auth/shared-signing-key.ts";
import type { Intents } from "../../../intents/request.ts";
import { fleetLimits } from "../limits.ts";
import { agentAccount, clusterNamespace } from "../names.ts";

export type IssueToken = (cluster: string, accountUid: string) => Promise<string>;

export function agentTokens(intents: Intents): IssueToken {
  return async (cluster, uid) => {
    const signer = createTokenSigner({
      issuer: tokenIssuer,
      keys: [await sharedSigningKey(intents)],
      ids: intents.ids,
    });
    return await signer.sign({
      namespace: clusterNamespace(cluster),
      serviceAccount: { name: agentAccount, uid },
      audiences: [tokenIssuer],
      issuedAtMs: intents.clock.nowMs(),
      expirationSeconds: fleetLimits.agentTokenSeconds,
    });
  };
}

/** A number that grows by one in less than half of the life of a token. */
export function tokenEpoch(nowMs: number): number {
  return Math.floor(nowMs / (fleetLimits.agentTokenSeconds * 400));
}
