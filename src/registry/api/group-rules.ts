import * as z from 'zod/mini'

const identifier = () => z.string().check(z.minLength(1), z.maxLength(256))

export const groupRules = () =>
  z.strictObject({
    tools: z.optional(z.array(z.string().check(z.maxLength(64))).check(z.maxLength(200))),
    databases: z.optional(
      z.record(
        z.string().check(z.maxLength(31)),
        z.strictObject({
          url: z.optional(z.string().check(z.maxLength(200))),
          role: z.optional(identifier()),
          schemas: z.optional(z.array(identifier()).check(z.maxLength(2_000))),
          tables: z.optional(
            z.record(identifier(), z.union([z.literal(true), z.array(identifier())])),
          ),
        }),
      ),
    ),
  })

export type GroupRules = z.infer<ReturnType<typeof groupRules>>
