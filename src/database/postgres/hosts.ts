/** Whether a host is one of Neon's own. */
export const isNeon = (hostname: string) => /\.neon\.(?:tech|build)$/i.test(hostname)

/** Whether a host is the machine itself. */
export const isLoopback = (hostname: string) =>
  /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/i.test(hostname)
