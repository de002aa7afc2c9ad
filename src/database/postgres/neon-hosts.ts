/** Whether a host is one of Neon's own. */
export const isNeon = (hostname: string) => /\.neon\.(?:tech|build)$/i.test(hostname)
