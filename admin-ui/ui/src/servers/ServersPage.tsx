import { useState } from 'react';
import type { components } from '../api/schema';
import { useQuery } from '../api/useQuery';
import { Ago } from '../shared/Ago';
import { Badge } from '../shared/Badge';
import { Copy } from '../shared/Copy';
import { count } from '../shared/format';
import { Pager } from '../shared/Pager';
import { Empty, QueryView, StaleBanner } from '../shared/States';
import { Replication } from './Replication';

type Server = components['schemas']['Server'];

const SIZE = 50;

/** The tablet servers of the cluster. */
export function ServersPage() {
  const [page, setPage] = useState(0);
  const query = useQuery('/api/v1/servers', { query: { offset: page * SIZE, limit: SIZE } });
  return (
    <>
      <h1>Servers</h1>
      <Replication />
      <StaleBanner query={query} />
      <QueryView query={query} what="the servers">
        {(servers) =>
          servers.total === 0 ? (
            <Empty title="No tablet server has registered yet">
              <p>Without one no table can be created. Start the cluster, or look at why its tablet does not come up:</p>
              <Copy text={'./sluice up\n./sluice logs tablet-1'} />
            </Empty>
          ) : (
            <>
              <div className="table-box">
                <table className="rows">
                  <thead>
                    <tr>
                      <th scope="col">Server</th>
                      <th scope="col">State</th>
                      <th scope="col">Arrow Flight</th>
                      <th scope="col">HTTP</th>
                      <th scope="col" className="number">
                        Leaders
                      </th>
                      <th scope="col" className="number">
                        Replicas
                      </th>
                      <th scope="col">Registered</th>
                      <th scope="col" title="New each time the process starts">
                        Incarnation
                      </th>
                    </tr>
                  </thead>
                  <tbody>
                    {servers.items.map((server) => (
                      <ServerRow key={server.serverId} server={server} />
                    ))}
                  </tbody>
                </table>
              </div>
              <Pager page={page} size={SIZE} total={servers.total} noun={servers.total === 1 ? 'server' : 'servers'} onPage={setPage} />
            </>
          )
        }
      </QueryView>
    </>
  );
}

function ServerState({ server }: { server: Server }) {
  return (
    <>
      {server.alive ? <Badge tone="good">ALIVE</Badge> : <Badge tone="bad">DEAD</Badge>}
      {server.alive && server.leaving && <span className="muted"> stopping</span>}
      {server.state === 'DRAINING' && <span className="muted"> {server.replicaCount === 0 ? 'drained' : 'draining'}</span>}
      {server.state === 'DECOMMISSIONED' && <span className="muted"> decommissioned</span>}
    </>
  );
}

function ServerRow({ server }: { server: Server }) {
  return (
    <tr className={server.alive ? undefined : 'row-attention'}>
      <th scope="row" className="cell-name">
        tablet {server.serverId}
        {server.rack !== '' && <span className="muted"> rack {server.rack}</span>}
      </th>
      <td data-label="State">
        <ServerState server={server} />
      </td>
      <td data-label="Arrow Flight">
        <code>
          {server.host}:{server.flightPort}
        </code>
      </td>
      <td data-label="HTTP">
        <code>
          {server.host}:{server.httpPort}
        </code>
      </td>
      <td data-label="Leaders" className="number">
        {count(server.leaderCount)}
      </td>
      <td data-label="Replicas" className="number">
        {count(server.replicaCount)}
      </td>
      <td data-label="Registered">
        <Ago ms={server.registeredMs} />
      </td>
      <td data-label="Incarnation">
        <code className="muted">{server.incarnation}</code>
      </td>
    </tr>
  );
}
