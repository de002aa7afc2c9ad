/** The picture of the three layers. */
export const Gates = () => (
  <ol class="way">
    <svg viewBox="0 0 1080 104" class="draw" aria-hidden="true">
      <rect class="box" x=".5" y="12.5" width="120" height="74" rx="5" />
      <text class="name" x="60" y="46" text-anchor="middle">
        Your
      </text>
      <text class="name" x="60" y="64" text-anchor="middle">
        database
      </text>
      <rect class="box" x="959.5" y="12.5" width="120" height="74" rx="5" />
      <text class="name" x="1020" y="46" text-anchor="middle">
        The
      </text>
      <text class="name" x="1020" y="64" text-anchor="middle">
        model
      </text>
      <path class="water" d="M121 66H948" />
      <path class="tip" d="M946 59l13 7-13 7z" />
      <text x="906" y="86" text-anchor="end">
        answers
      </text>
      <path class="line" stroke-dasharray="5 5" d="M959 33H709" />
      <path class="stop" d="M691 27l12 12M703 27l-12 12" />
      <text x="906" y="24" text-anchor="end">
        writes
      </text>
      {[161, 414, 667].map((x) => (
        <g class="gate">
          <path d={`M${x} 9h34M${x + 13} 9l25 72`} />
        </g>
      ))}
    </svg>
    {GATES.map(([name, text]) => (
      <li>
        <h3>{name}</h3>
        <p class="dim">{text}</p>
      </li>
    ))}
  </ol>
)

const GATES = [
  [
    'The role',
    'Tidegate logs in to the database with a read-only role. You choose the role; the doctor tells you if it can do more.',
  ],
  ['The session', 'Every statement runs in a mode in which the database itself refuses writes.'],
  [
    'The guard',
    'Each statement is parsed the way its engine parses it. Anything but a single read is refused before it is sent.',
  ],
] as const
