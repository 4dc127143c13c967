/**
 * The contract of port.ts as tests. An implementation calls it from a test file of its own:
 *
 *   brokerContract("RabbitMQ", () => broker);
 */
import { describe } from "node:test";
import { consumingContract } from "./consuming.ts";
import type { BrokerOf } from "./harness.ts";
import { publishingContract } from "./publishing.ts";

export function brokerContract(name: string, broker: BrokerOf): void {
  describe(`the broker port: ${name}`, () => {
    publishingContract(broker);
    consumingContract(broker);
  });
}
