/**
 * The contract of port.ts as tests, against servers on the loopback interface. An implementation
 * calls it from a test file of its own:
 *
 *   httpContract("undici", httpWith(systemTimers), callJson);
 *
 * TLS needs certificates, which tests/adapters/http.test.ts makes.
 */
import { describe } from "node:test";
import type { CallJson, OpenHttp } from "../port.ts";
import { answerContract } from "./answers.ts";
import { connectionContract } from "./connections.ts";
import { jsonCallContract } from "./json-calls.ts";
import { limitContract } from "./limits.ts";
import { streamContract } from "./streams.ts";
import { webSocketContract } from "./web-sockets.ts";

export function httpContract(name: string, open: OpenHttp, callJson: CallJson): void {
  describe(`the HTTP port: ${name}`, () => {
    answerContract(open);
    limitContract(open);
    connectionContract(open);
    streamContract(open);
    webSocketContract(open);
    jsonCallContract(callJson);
  });
}
