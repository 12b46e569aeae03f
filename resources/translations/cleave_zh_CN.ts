<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="zh_CN">
<context>
    <name>cleave::Core</name>
    <message>
        <source>Rows of some nodes cannot be computed alone: %1 needs all nodes at once.</source>
        <translation>部分节点的行无法单独计算：%1 需要同时用到所有节点。</translation>
    </message>
    <message>
        <source>Rows of some nodes cannot be computed alone: the program does not tell which nodes input %1 names.</source>
        <translation>部分节点的行无法单独计算：程序没有说明输入 %1 指的是哪些节点。</translation>
    </message>
    <message>
        <source>Rows of some nodes cannot be computed alone: they need %1, which has no rows of nodes of one type.</source>
        <translation>部分节点的行无法单独计算：它们需要 %1，而它没有单一类型节点的行。</translation>
    </message>
    <message>
        <source>Rows of some nodes cannot be computed alone: the program also stores rows of %1.</source>
        <translation>无法单独计算部分节点的行：程序还要存储%1的行。</translation>
    </message>
    <message>
        <source>Rows of some nodes cannot be computed alone: nothing of it has a row for each node.</source>
        <translation>部分节点的行无法单独计算：其中没有任何东西为每个节点各有一行。</translation>
    </message>
    <message>
        <source>Rows of some nodes cannot be computed alone: on a random graph they depend on more than the nodes within %1 steps.</source>
        <translation>部分节点的行无法单独计算：在随机图上，它们依赖的不止 %1 步以内的节点。</translation>
    </message>
    <message>
        <source>There is not enough memory for the neighbourhood of even one node.</source>
        <translation>内存连一个节点的邻域都放不下。</translation>
    </message>
    <message>
        <source>The neighbourhoods of all nodes that were tried are too large to compute them alone.</source>
        <translation>试过的所有节点，其邻域都太大，无法单独计算。</translation>
    </message>
    <message>
        <source>The number of nodes to compare must be at least 1.</source>
        <translation>要比较的节点数至少为 1。</translation>
    </message>
    <message>
        <source>%1 cannot stand %2: %3.</source>
        <translation>%1 不能放在%2：%3。</translation>
    </message>
    <message>
        <source>%1 is part of message passing %2 and stays in its function</source>
        <translation>%1 属于消息传递 %2，只能留在其所在的函数中</translation>
    </message>
    <message>
        <source>%1 is pinned to function %2</source>
        <translation>%1 已固定在函数 %2</translation>
    </message>
    <message>
        <source>%1 must stand %2 or earlier, since %3 reads it there</source>
        <translation>%1 最晚只能放在%2，因为%3 在那里读取它</translation>
    </message>
    <message>
        <source>%1 works on %2, and function %3 on %4</source>
        <translation>%1 处理%2，而函数 %3 处理%4</translation>
    </message>
    <message>
        <source>functions over nodes of several types that run together keep their ops</source>
        <translation>作用于多种节点类型且一起运行的函数，其运算不能移出或移入</translation>
    </message>
    <message>
        <source>%1 must stand %2 or later, since it reads what %3 finds out from all nodes</source>
        <translation>%1 最早只能放在%2，因为它要读取%3 由所有节点得出的结果</translation>
    </message>
    <message>
        <source>this program has no function %1</source>
        <translation>此程序中没有函数 %1</translation>
    </message>
    <message>
        <source>no function on %1 is there</source>
        <translation>那里没有处理%1的函数</translation>
    </message>
    <message>
        <source>There is no %1 in this program.</source>
        <translation>此程序中没有%1。</translation>
    </message>
    <message>
        <source>Functions %1 and %2 run together in this plan, so nothing is saved between them.</source>
        <translation>在此方案中，函数 %1 和 %2 合并运行，因此它们之间不保存任何内容。</translation>
    </message>
    <message>
        <source>Functions %1 and %2 run together: there is no cut between them.</source>
        <translation>函数 %1 和 %2 合并运行：它们之间没有切口。</translation>
    </message>
    <message>
        <source>%1 is no tensor of node rows that something reads, so it cannot be a save point.</source>
        <translation>%1 不是会被读取的节点行张量，因此不能作为保存点。</translation>
    </message>
    <message>
        <source>%1 cannot be saved at cut %2, since nothing that reads it can run after the cut: %3</source>
        <translation>%1 不能保存在切口 %2，因为读取它的算子都不能在该切口之后运行：%3</translation>
    </message>
    <message>
        <source>%1 cannot be saved at cut %2, since nothing that reads it can run after the cut.</source>
        <translation>%1 不能保存在切口 %2，因为读取它的算子都不能在该切口之后运行。</translation>
    </message>
    <message>
        <source>%1 must be saved at cut %2: %3; %4</source>
        <translation>%1 必须保存在切口 %2：%3；%4</translation>
    </message>
    <message>
        <source>%1 must be saved at cut %2: %3</source>
        <translation>%1 必须保存在切口 %2：%3</translation>
    </message>
    <message>
        <source>message passing or an output after the cut reads it</source>
        <translation>该切口之后的消息传递或输出要读取它</translation>
    </message>
    <message>
        <source>No op of the function above the cut can move below it.</source>
        <translation>切口上方的函数中没有可以移到切口下方的算子。</translation>
    </message>
    <message>
        <source>No op stands before the message passing below the cut that can move above it.</source>
        <translation>切口下方的消息传递之前没有可以移到切口上方的算子。</translation>
    </message>
    <message>
        <source>%1 does not work on node rows: a plan does not place it.</source>
        <translation>%1 不处理节点行：方案不安排它的位置。</translation>
    </message>
    <message>
        <source>nodes of type %1</source>
        <translation>类型为 %1 的节点</translation>
    </message>
    <message>
        <source>before message passing %1</source>
        <translation>消息传递 %1 之前</translation>
    </message>
    <message>
        <source>after message passing %1</source>
        <translation>消息传递 %1 之后</translation>
    </message>
    <message>
        <source>cut %1</source>
        <translation>切口 %1</translation>
    </message>
    <message>
        <source>function %1</source>
        <translation>函数 %1</translation>
    </message>
    <message>
        <source>op %1 in module %2</source>
        <translation>算子 %1（模块 %2）</translation>
    </message>
    <message>
        <source>op %1</source>
        <translation>算子 %1</translation>
    </message>
    <message>
        <source>Analysing</source>
        <translation>正在分析</translation>
    </message>
    <message>
        <source>Checking edges</source>
        <translation>正在检查边</translation>
    </message>
    <message>
        <source>Checking the cut on random graphs</source>
        <translation>正在随机图上检查切分</translation>
    </message>
    <message>
        <source>Checking the rewrites on random graphs</source>
        <translation>正在随机图上检查重写</translation>
    </message>
    <message>
        <source>Comparing</source>
        <translation>正在比较</translation>
    </message>
    <message>
        <source>Counting rows</source>
        <translation>正在统计行数</translation>
    </message>
    <message>
        <source>Measuring memory bandwidth</source>
        <translation>正在测量内存带宽</translation>
    </message>
    <message>
        <source>Measuring %1</source>
        <translation>正在测量%1</translation>
    </message>
    <message>
        <source>Ordering nodes</source>
        <translation>正在对节点排序</translation>
    </message>
    <message>
        <source>Planning greedily</source>
        <translation>正在进行贪心规划</translation>
    </message>
    <message>
        <source>Prologue</source>
        <translation>序段</translation>
    </message>
    <message>
        <source>Reading features</source>
        <translation>正在读取特征</translation>
    </message>
    <message>
        <source>Reading the graph</source>
        <translation>正在读取图</translation>
    </message>
    <message>
        <source>Reading the model</source>
        <translation>正在读取模型</translation>
    </message>
    <message>
        <source>Running the whole model</source>
        <translation>正在运行整个模型</translation>
    </message>
    <message>
        <source>Running %1</source>
        <translation>正在运行 %1</translation>
    </message>
    <message>
        <source>Searching the optimal plan</source>
        <translation>正在搜索最优方案</translation>
    </message>
    <message>
        <source>in-place ops</source>
        <translation>原地算子</translation>
    </message>
    <message>
        <source>dropout in eval</source>
        <translation>评估模式下的 dropout</translation>
    </message>
    <message>
        <source>no-ops</source>
        <translation>空操作</translation>
    </message>
    <message>
        <source>checks</source>
        <translation>检查算子</translation>
    </message>
    <message>
        <source>sizes of features</source>
        <translation>取自特征的尺寸</translation>
    </message>
    <message>
        <source>constants folded</source>
        <translation>折叠的常量</translation>
    </message>
    <message>
        <source>equal structure ops</source>
        <translation>相同的结构算子</translation>
    </message>
    <message>
        <source>dead ops</source>
        <translation>无用算子</translation>
    </message>
    <message>
        <source>There is no file %1.</source>
        <translation>没有文件 %1。</translation>
    </message>
    <message>
        <source>%1 cannot be read.</source>
        <translation>无法读取 %1。</translation>
    </message>
    <message>
        <source>%1 is not a complete zip archive: it is of another kind, or was cut short.</source>
        <translation>%1 不是完整的 zip 压缩包：文件属于其他类型，或已被截断。</translation>
    </message>
    <message>
        <source>%1 is not a complete zip archive.</source>
        <translation>%1 不是完整的 zip 压缩包。</translation>
    </message>
    <message>
        <source>The graph %1 has no array %2 for the model&apos;s input of that name; it has %3. Choose one with --input %4, or let random numbers take its place (--features random).</source>
        <translation>模型的输入需要同名数组 %2，但图 %1 中没有；图中有 %3。请用 --input %4 选择一个数组，或用随机数代替（--features random）。</translation>
    </message>
    <message>
        <source>The graph %1 has no array %2 for the model&apos;s input of that name; it has %3. Choose one with --input %4.</source>
        <translation>模型的输入需要同名数组 %2，但图 %1 中没有；图中有 %3。请用 --input %4 选择一个数组。</translation>
    </message>
    <message>
        <source>The graph %1 has no array %2; it has %3.</source>
        <translation>图 %1 没有数组 %2；它有 %3。</translation>
    </message>
    <message>
        <source>Input %1 of the model is %2, but the array of graph %3 is %4: dimension %5 must be %6.</source>
        <translation>模型的输入 %1 是 %2，但图 %3 的数组是 %4：第 %5 维必须为 %6。</translation>
    </message>
    <message>
        <source>Input %1 of the model is %2, but the array of graph %3 is %4: %5.</source>
        <translation>模型的输入 %1 是 %2，但图 %3 的数组是 %4：%5。</translation>
    </message>
    <message>
        <source>Input %1 names node %2, but the graph has nodes %3 to %4.</source>
        <translation>输入 %1 引用了节点 %2，但图中只有节点 %3 到 %4。</translation>
    </message>
    <message>
        <source>Input %1 is a number that a graph does not have.</source>
        <translation>输入 %1 是一个数，而图中没有这个数。</translation>
    </message>
    <message>
        <source>The model has no input %1.</source>
        <translation>模型没有输入 %1。</translation>
    </message>
    <message>
        <source>The model has no node-feature input (a tensor whose first dimension counts nodes), so there is nothing to cut: name one with %1.</source>
        <translation>模型没有节点特征输入（第一维为节点数的张量），因此没有可切分的内容：请用 %1 指定一个。</translation>
    </message>
    <message>
        <source>The model has no node-feature input (a tensor whose first dimension counts nodes), so there is nothing to cut: %1</source>
        <translation>模型没有节点特征输入（第一维为节点数的张量），因此没有可切分的内容：%1</translation>
    </message>
    <message>
        <source>The model was exported for one graph only (%1): export it again with %2; or, if parameter %3 has a row for each node, open it with %4.</source>
        <translation>模型导出时只适用于一个图（%1）：请用 %2 重新导出；或者，如果参数 %3 为每个节点各有一行，请用 %4 打开它。</translation>
    </message>
    <message>
        <source>The model was exported for one graph only (%1): export it again with %2.</source>
        <translation>模型导出时只适用于一个图（%1）：请用 %2 重新导出。</translation>
    </message>
    <message>
        <source>The model was exported in training mode: %1; call model.eval() before torch.export.export.</source>
        <translation>模型是在训练模式下导出的：%1；请在 torch.export.export 之前调用 model.eval()。</translation>
    </message>
    <message>
        <source>the number of nodes is fixed</source>
        <translation>节点数是固定的</translation>
    </message>
    <message>
        <source>the numbers of nodes and edges are fixed</source>
        <translation>节点数和边数是固定的</translation>
    </message>
    <message>
        <source>The cut model does not give the whole model&apos;s answers on a small random graph: %1</source>
        <translation>在一个小型随机图上，切分后的模型与整个模型的结果不一致：%1</translation>
    </message>
    <message>
        <source>The cut model does not run on a small random graph, though the whole model does, so Cleave cannot cut it: %1</source>
        <translation>切分后的模型无法在小随机图上运行，而整个模型可以，因此 Cleave 无法切分它：%1</translation>
    </message>
    <message>
        <source>The model does not run on a small random graph, so its cut cannot be checked. %1</source>
        <translation>模型无法在一个小型随机图上运行，因此无法检查其切分。%1</translation>
    </message>
    <message>
        <source>The plan %1 does not fit into %2 in batches of %3: it needs %4.</source>
        <translation>方案 %1 在 %2 内存中无法以 %3 的批大小运行：它需要 %4。</translation>
    </message>
    <message>
        <source>The plan %1 does not fit into %2 with any batch size: it needs %3.</source>
        <translation>方案 %1 在 %2 内存中以任何批大小都无法运行：它需要 %3。</translation>
    </message>
    <message>
        <source>%1: not enough memory; with a bound on it (--memory 8G) rows lie in files.</source>
        <translation>%1：内存不足；给内存设上限（--memory 8G）后，行会放在文件中。</translation>
    </message>
    <message>
        <source>%1: not enough memory.</source>
        <translation>%1：内存不足。</translation>
    </message>
    <message>
        <source>Now open the model that the plan is for (%1): a plan file holds the plan alone.</source>
        <translation>现在请打开该方案所属的模型（%1）：方案文件只包含方案本身。</translation>
    </message>
    <message>
        <source>Open the plan&apos;s model first: a plan file holds the plan alone.</source>
        <translation>请先打开该方案的模型：方案文件只包含方案本身。</translation>
    </message>
    <message>
        <source>Open the plans&apos; model first: a plan file holds the plan alone.</source>
        <translation>请先打开这些方案的模型：方案文件只包含方案本身。</translation>
    </message>
    <message>
        <source>The picture is too large to be made of pixels: write it as SVG or PDF.</source>
        <translation>图片太大，无法保存为像素图：请保存为 SVG 或 PDF。</translation>
    </message>
    <message>
        <source>There is no picture to export: open a model first.</source>
        <translation>没有可导出的图片：请先打开一个模型。</translation>
    </message>
    <message>
        <source>There is nothing to export: open a model first.</source>
        <translation>没有可导出的内容：请先打开一个模型。</translation>
    </message>
    <message>
        <source>The unsaved plan cannot be kept in %1.</source>
        <translation>无法将未保存的方案保留在 %1 中。</translation>
    </message>
    <message>
        <source>This does not work on node rows: a plan does not place it.</source>
        <translation>它不作用于节点行：方案不安排它的位置。</translation>
    </message>
    <message>
        <source>Running the whole model on this graph failed: %1</source>
        <translation>在此图上运行整个模型失败：%1</translation>
    </message>
    <message>
        <source>Running layer by layer on this graph failed: %1</source>
        <translation>在此图上逐层运行失败：%1</translation>
    </message>
    <message>
        <source>Measuring %1 failed: %2</source>
        <translation>测量%1失败：%2</translation>
    </message>
    <message>
        <source>the number of edges is fixed</source>
        <translation>边数固定</translation>
    </message>
    <message>
        <source>the number of dimensions differs</source>
        <translation>维数不同</translation>
    </message>
    <message>
        <source>the type does not fit</source>
        <translation>类型不符</translation>
    </message>
    <message>
        <source>its numbers are too large for that type</source>
        <translation>其中的数超出了该类型的范围</translation>
    </message>
    <message>
        <source>Functions %1 and %2 cannot be joined, since a global op waits for all nodes between them.</source>
        <translation>函数 %1 和函数 %2 不能合并，因为它们之间有一个全局算子要等待所有节点。</translation>
    </message>
    <message>
        <source>functions %1 to %2</source>
        <translation>函数 %1 到 %2</translation>
    </message>
    <message>
        <source>global ops before function %1</source>
        <translation>函数 %1 之前的全局算子</translation>
    </message>
    <message>
        <source>rows of an output</source>
        <translation>一个输出的行</translation>
    </message>
    <message>
        <source>Running %1 failed: %2</source>
        <translation>运行 %1 失败：%2</translation>
    </message>
    <message>
        <source>The model cannot be cut exactly: op %1 (%2) reads the adjacency matrix %3 in a way that is no message passing. A matrix can be multiplied with rows of nodes, transposed, scaled by numbers, rows or columns, added to an identity, its rows and columns summed, its entries changed where this leaves 0 as it is, and attention be masked by it; for anything else give the model edge_index.</source>
        <translation>模型无法精确切分：算子 %1（%2）读取邻接矩阵 %3 的方式不是消息传递。矩阵可以与节点行相乘、转置、按数或按行列缩放、与单位矩阵相加、按行或按列求和、在 0 保持为 0 的前提下逐元素变换，也可以作为注意力的掩码；其他用法请让模型接收 edge_index。</translation>
    </message>
    <message>
        <source>The model cannot be cut exactly: %1 renumbers edge rows by an index of several dimensions, which is not supported.</source>
        <translation>模型无法精确切分：%1 用多维索引重排边行，尚不支持。</translation>
    </message>
    <message>
        <source>The model cannot be cut exactly: %1 reads rows at an index that depends on node features: which rows a block needs is not known beforehand.</source>
        <translation>模型无法精确切分：%1 按依赖节点特征的索引读取行，因此无法预先知道一个块需要哪些行。</translation>
    </message>
    <message>
        <source>The model cannot be cut exactly: %1 writes rows at an index that depends on node features: which rows a block needs is not known beforehand.</source>
        <translation>模型无法精确切分：%1 按依赖节点特征的索引写入行，因此无法预先知道一个块需要哪些行。</translation>
    </message>
    <message>
        <source>The model cannot be cut exactly: %1 selects rows by a mask of several dimensions, which is not supported.</source>
        <translation>模型无法精确切分：%1 用多维掩码选择行，尚不支持。</translation>
    </message>
    <message>
        <source>The model cannot be cut exactly: %1 adds rows to a tensor whose rows lie along another dimension.</source>
        <translation>模型无法精确切分：%1 把行加到一个行位于其他维的张量上。</translation>
    </message>
    <message>
        <source>The model cannot be cut exactly: %1 reduces edges into %2 rows that are not the graph&apos;s nodes: that works where the inputs tell how many there are.</source>
        <translation>模型无法精确切分：%1 把边归约为 %2 行，而这些行不是图的节点：只有输入给出边数时才可行。</translation>
    </message>
    <message>
        <source>The model cannot be cut exactly: %1 has an index of shape %2, not one target for each row.</source>
        <translation>模型无法精确切分：%1 的索引形状为 %2，而不是每行一个目标。</translation>
    </message>
    <message>
        <source>The model cannot be cut exactly: %1 gives a number that depends on node features.</source>
        <translation>模型无法精确切分：%1 得出的数依赖节点特征。</translation>
    </message>
    <message>
        <source>The model cannot be cut exactly: %1 gives a tensor of shape %2, which is neither one row for each node nor one for the graph.</source>
        <translation>模型无法精确切分：%1 得出形状为 %2 的张量，既不是每个节点一行，也不是整个图一行。</translation>
    </message>
    <message>
        <source>The model cannot be cut exactly: %1 gives a tensor of shape %2, which has no dimension for its rows.</source>
        <translation>模型无法精确切分：%1 得出形状为 %2 的张量，没有表示行的维。</translation>
    </message>
    <message>
        <source>The model cannot be cut exactly: %1 gives a tensor of shape %2, in which more than one dimension grows with the graph.</source>
        <translation>模型无法精确切分：%1 得出形状为 %2 的张量，其中不止一维随图增长。</translation>
    </message>
    <message>
        <source>The model cannot be cut exactly: %1 gives %2, which is not one row for each of the %3</source>
        <translation>模型无法精确切分：%1 得出 %2，而不是以下每项一行：%3</translation>
    </message>
    <message>
        <source>The model cannot be cut exactly: %1 combines rows of nodes with rows of edges, or of nodes of another type.</source>
        <translation>模型无法精确切分：%1 把节点行与边行（或另一类型节点的行）合在一起。</translation>
    </message>
    <message>
        <source>The model cannot be cut exactly: %1 needs a size that depends on node features.</source>
        <translation>模型无法精确切分：%1 需要依赖节点特征的尺寸。</translation>
    </message>
    <message>
        <source>The model cannot be cut exactly: %1 works with a number that depends on node features.</source>
        <translation>模型无法精确切分：%1 使用依赖节点特征的数。</translation>
    </message>
    <message>
        <source>The model cannot be cut exactly: %1</source>
        <translation>模型无法精确切分：%1</translation>
    </message>
    <message>
        <source>The model gives back the adjacency matrix %1, which Cleave takes as edges.</source>
        <translation>模型把邻接矩阵 %1 作为输出，而 Cleave 把它当作边处理。</translation>
    </message>
    <message>
        <source>The model takes both the adjacency matrix %1 and %2, as its edges are called: give the second of these inputs another name.</source>
        <translation>模型既接收邻接矩阵 %1，又接收其边的名称 %2：请给该输入换一个名称。</translation>
    </message>
    <message>
        <source>Input %1 has the role node-features but no dynamic first dimension: export the model with dynamic_shapes=%2.</source>
        <translation>输入 %1 的角色是节点特征，但第一维不是动态的：请用 dynamic_shapes=%2 导出模型。</translation>
    </message>
    <message>
        <source>Dimension %1 of the node features %2 has the dynamic size %3: only the node dimension may be dynamic. If it is a matrix of edges between nodes of two kinds, give the model edge_index [2, edges] instead: Cleave takes square matrices only.</source>
        <translation>节点特征 %2 的第 %1 维是动态尺寸 %3：只有节点维可以是动态的。如果它是两类节点之间边的矩阵，请让模型接收 edge_index [2, edges]：Cleave 只接受方阵。</translation>
    </message>
    <message>
        <source>Dimension %1 of the node features %2 has the dynamic size %3: only the node dimension may be dynamic%4</source>
        <translation>节点特征 %2 的第 %1 维是动态尺寸 %3：只有节点维可以是动态的%4</translation>
    </message>
    <message>
        <source>In-place op %1 (%2) changes something that is no tensor of the program.</source>
        <translation>原地算子 %1（%2）修改的不是程序中的张量。</translation>
    </message>
    <message>
        <source>The forward changes the weight %1 in place (op %2): a layer-wise run would change it once for each batch; compute a new tensor instead.</source>
        <translation>forward 原地修改了权重 %1（算子 %2）：逐层运行会在每个批次都修改一次；请改为计算新张量。</translation>
    </message>
    <message>
        <source>The in-place changes around %1 cannot be followed through the views of it: write the forward without changing this tensor in place.</source>
        <translation>无法沿着视图跟踪 %1 周围的原地修改：请改写 forward，不要原地修改这个张量。</translation>
    </message>
    <message>
        <source>The size %1 that %2 (%3) needs does not come from the graph.</source>
        <translation>%2（%3）需要的尺寸 %1 不是来自图。</translation>
    </message>
    <message>
        <source>The model draws random numbers when it runs: %1; no two runs agree, so it cannot be proved equal. Export it in eval mode and without noise.</source>
        <translation>模型运行时产生随机数：%1；两次运行结果不同，因此无法证明相等。请在评估模式下、不加噪声地导出。</translation>
    </message>
    <message>
        <source>Op %1 (%2) reduces by %3 from a start of its own: Cleave knows sums, means and extremes.</source>
        <translation>算子 %1（%2）以自己的初值按 %3 归约：Cleave 只认识求和、均值和最值。</translation>
    </message>
    <message>
        <source>Op %1 (%2) is not given a tensor that it needs.</source>
        <translation>算子 %1（%2）缺少它需要的张量。</translation>
    </message>
    <message>
        <source>%1 stands for a tensor that its op is not given.</source>
        <translation>%1 代表的张量没有传给它的算子。</translation>
    </message>
    <message>
        <source>Parameter %1 cannot hold node features: they are floating-point numbers with one row for each node.</source>
        <translation>参数 %1 不能作为节点特征：节点特征是每个节点一行的浮点数。</translation>
    </message>
    <message>
        <source>%1 is a parameter: the only role that it can have is node-features.</source>
        <translation>%1 是参数：它只能担任节点特征（node-features）。</translation>
    </message>
    <message>
        <source>The model has no input or parameter %1; its inputs are %2.</source>
        <translation>模型没有输入或参数 %1；它的输入是 %2。</translation>
    </message>
    <message>
        <source>The functions cannot be joined: rows of %1 have several entries and are read by number.</source>
        <translation>这些函数不能合并：%1 的每行有多个条目，且按编号读取。</translation>
    </message>
    <message>
        <source>The model does not do the same on every graph: %1 is called with other numbers on another graph; compute with tensors there, or export the model by torch.export.</source>
        <translation>模型在不同的图上执行过程不同：在另一个图上调用 %1 时数值不同；请在那里用张量计算，或用 torch.export 导出模型。</translation>
    </message>
    <message>
        <source>The model does not do the same on every graph: %1 is not called on another graph; compute with tensors there, or export the model by torch.export.</source>
        <translation>模型在不同的图上执行过程不同：在另一个图上没有调用 %1；请在那里用张量计算，或用 torch.export 导出模型。</translation>
    </message>
    <message>
        <source>The model does not do the same on every graph: %1 on another graph; compute with tensors there, or export the model by torch.export.</source>
        <translation>模型在不同的图上执行过程不同：在另一个图上 %1；请在那里用张量计算，或用 torch.export 导出模型。</translation>
    </message>
    <message>
        <source>The model does not do the same on every graph: it runs another number of operators; export it by torch.export.</source>
        <translation>模型在不同的图上执行过程不同：运行的算子数量不同；请用 torch.export 导出。</translation>
    </message>
    <message>
        <source>The model does not do the same on every graph: %1 has another number of dimensions.</source>
        <translation>模型在不同的图上执行过程不同：%1 的维数不同。</translation>
    </message>
    <message>
        <source>The model takes a branch by the entries of tensor %1: write it without the branch, with torch.where for instance.</source>
        <translation>模型根据张量 %1 的元素选择分支：请改写为不带分支的形式，例如用 torch.where。</translation>
    </message>
    <message>
        <source>The model runs on one random graph, but not on another: %1 says %2.</source>
        <translation>模型能在一个随机图上运行，却不能在另一个上运行：%1 报告 %2。</translation>
    </message>
    <message>
        <source>The model&apos;s forward runs more than 500,000 operators: export a smaller one.</source>
        <translation>模型的 forward 运行超过 500,000 个算子：请导出更小的模型。</translation>
    </message>
    <message>
        <source>The rewritten model does not give the model&apos;s answers on a small random graph: output %1 differs. Open it without rewrites.</source>
        <translation>在一个小型随机图上，重写后的模型与原模型结果不同：输出 %1 不一致。请不使用重写打开它。</translation>
    </message>
    <message>
        <source>What was made of the model does not give the same answers on a small random graph: output %1 differs.</source>
        <translation>由模型得到的程序在小随机图上给出的答案与模型不同：输出 %1 不一致。</translation>
    </message>
    <message>
        <source>With edges in place of the adjacency matrix the model does not give the same answers on a small random graph: output %1 differs. Give the model edge_index.</source>
        <translation>用边代替邻接矩阵后，模型在一个小型随机图上的结果不同：输出 %1 不一致。请让模型接收 edge_index。</translation>
    </message>
    <message>
        <source>The archive holds several models (%1, %2): save one with torch.export.save.</source>
        <translation>压缩包中有多个模型（%1、%2）：请用 torch.export.save 保存其中一个。</translation>
    </message>
    <message>
        <source>The file is a zip archive, but holds no exported program: save the model with torch.export.save.</source>
        <translation>文件是 zip 压缩包，但不含导出的程序：请用 torch.export.save 保存模型。</translation>
    </message>
    <message>
        <source>The archive was written on a big-endian machine, which Cleave does not read.</source>
        <translation>压缩包是在大端序机器上写成的，Cleave 无法读取。</translation>
    </message>
    <message>
        <source>%1 has element type number %2, which Cleave does not know.</source>
        <translation>%1 的元素类型编号为 %2，Cleave 不认识。</translation>
    </message>
    <message>
        <source>The model uses the higher-order op %1 (%2), which Cleave cannot cut: write the branch or loop out in forward.</source>
        <translation>模型使用高阶算子 %1（%2），Cleave 无法切分：请在 forward 中把分支或循环展开写出。</translation>
    </message>
    <message>
        <source>The graph has no array edge_index: it fits models that take no edges.</source>
        <translation>图中没有数组 edge_index：它适用于不以边为输入的模型。</translation>
    </message>
    <message>
        <source>Parameter %1 holds the node features: each of its rows is of a node.</source>
        <translation>参数 %1 保存节点特征：其每一行对应一个节点。</translation>
    </message>
    <message>
        <source>The model uses torch.vmap or another transform of functions (%1), which the file does not write out: save what exported.run_decompositions({}) returns.</source>
        <translation>模型使用了 torch.vmap 或其他函数变换（%1），而文件没有将其展开：请保存 exported.run_decompositions({}) 返回的结果。</translation>
    </message>
    <message>
        <source>The model uses the custom op %1 (%2), which Cleave cannot run: write it with PyTorch&apos;s own operators.</source>
        <translation>模型使用自定义算子 %1（%2），Cleave 无法运行：请用 PyTorch 自带的算子改写。</translation>
    </message>
    <message>
        <source>The model was exported in training mode (its forward updates %1): call model.eval() before torch.export.export.</source>
        <translation>模型是在训练模式下导出的（forward 会更新 %1）：请在 torch.export.export 之前调用 model.eval()。</translation>
    </message>
    <message>
        <source>The model was exported for one graph only (%1): export it again with dynamic_shapes=%2</source>
        <translation>模型导出时只适用于一个图（%1）：请用 dynamic_shapes=%2 重新导出</translation>
    </message>
    <message>
        <source>The model was exported for one graph only (%1 fixed): export it again with %2</source>
        <translation>模型导出时只适用于一个图（%1 固定）：请用 %2 重新导出</translation>
    </message>
    <message>
        <source>The model has no output tensor.</source>
        <translation>模型没有输出张量。</translation>
    </message>
    <message>
        <source>The model has an input of kind %1 (a custom object or an effect token), which Cleave cannot run.</source>
        <translation>模型有一个种类为 %1 的输入（自定义对象或效应标记），Cleave 无法运行。</translation>
    </message>
    <message>
        <source>The model has an argument of kind %1 at %2, which Cleave cannot run.</source>
        <translation>模型在 %2 处有种类为 %1 的参数，Cleave 无法运行。</translation>
    </message>
    <message>
        <source>The model has an output of kind %1, which Cleave cannot run.</source>
        <translation>模型有一个种类为 %1 的输出，Cleave 无法运行。</translation>
    </message>
    <message>
        <source>The model takes an item of something that is no list of tensors: op %1.</source>
        <translation>模型从不是张量列表的对象中取元素：算子 %1。</translation>
    </message>
    <message>
        <source>The model&apos;s forward changes its buffer %1: a layer-wise run would change it once for each batch; compute a new tensor instead.</source>
        <translation>模型的 forward 会修改缓冲区 %1：逐层运行会在每个批次都修改一次；请改为计算新张量。</translation>
    </message>
    <message>
        <source>The size %1 of %2 is not an expression that Cleave reads.</source>
        <translation>%2 的尺寸 %1 不是 Cleave 能读取的表达式。</translation>
    </message>
    <message>
        <source>The size of %1 is an expression of %2 characters, too long to be one.</source>
        <translation>%1 的尺寸是长达 %2 个字符的表达式，不可能是尺寸。</translation>
    </message>
    <message>
        <source>The model file is damaged: the name %1 is given twice.</source>
        <translation>模型文件已损坏：名称 %1 出现两次。</translation>
    </message>
    <message>
        <source>The model file is damaged: it has no data for the weight %1.</source>
        <translation>模型文件已损坏：没有权重 %1 的数据。</translation>
    </message>
    <message>
        <source>The model file is damaged: the data of weight %1 has another type or shape than the program says.</source>
        <translation>模型文件已损坏：权重 %1 的数据与程序所述的类型或形状不同。</translation>
    </message>
    <message>
        <source>The model file is damaged: weight %1 has sizes and strides that do not fit together.</source>
        <translation>模型文件已损坏：权重 %1 的尺寸与步长不相符。</translation>
    </message>
    <message>
        <source>The model file is damaged: weight %1 has a size or stride that no tensor has.</source>
        <translation>模型文件已损坏：权重 %1 的尺寸或步长不可能属于任何张量。</translation>
    </message>
    <message>
        <source>The model file is damaged: weight %1 reaches beyond its %2 bytes of data.</source>
        <translation>模型文件已损坏：权重 %1 超出了它 %2 字节的数据。</translation>
    </message>
    <message>
        <source>The model file is damaged: weight %1 %2.</source>
        <translation>模型文件已损坏：权重 %1 %2。</translation>
    </message>
    <message>
        <source>The model file is damaged: %1 reads %2 before anything computes it.</source>
        <translation>模型文件已损坏：%1 在 %2 被计算出来之前就读取它。</translation>
    </message>
    <message>
        <source>The model file is damaged: a list is read where there is none, or beyond its end.</source>
        <translation>模型文件已损坏：读取了不存在的列表，或读取超出了列表末尾。</translation>
    </message>
    <message>
        <source>The model file is damaged: a function is called with another number of arguments than it takes.</source>
        <translation>模型文件已损坏：调用函数时的参数数量与其所需不同。</translation>
    </message>
    <message>
        <source>The model file is damaged: a function does not return one value.</source>
        <translation>模型文件已损坏：某个函数没有返回恰好一个值。</translation>
    </message>
    <message>
        <source>The model file is damaged: %1 does not hold a dictionary of tensors.</source>
        <translation>模型文件已损坏：%1 中不是张量字典。</translation>
    </message>
    <message>
        <source>The model file is damaged: %1 ends too early.</source>
        <translation>模型文件已损坏：%1 过早结束。</translation>
    </message>
    <message>
        <source>The model file is damaged: %1 is not a valid pickle.</source>
        <translation>模型文件已损坏：%1 不是有效的 pickle。</translation>
    </message>
    <message>
        <source>The model file is damaged: %1 is nested too deeply.</source>
        <translation>模型文件已损坏：%1 嵌套过深。</translation>
    </message>
    <message>
        <source>The model file is damaged: %1 is too large.</source>
        <translation>模型文件已损坏：%1 过大。</translation>
    </message>
    <message>
        <source>The model file is damaged: %1 is there twice.</source>
        <translation>模型文件已损坏：%1 出现两次。</translation>
    </message>
    <message>
        <source>The model file is damaged: %1 holds too many objects for a dictionary of tensors.</source>
        <translation>模型文件已损坏：对张量字典来说，%1 中的对象过多。</translation>
    </message>
    <message>
        <source>The model file is damaged: %1 holds too many objects.</source>
        <translation>模型文件已损坏：%1 中的对象过多。</translation>
    </message>
    <message>
        <source>The model file is damaged: %1 holds less data than a tensor needs.</source>
        <translation>模型文件已损坏：%1 中的数据少于张量所需。</translation>
    </message>
    <message>
        <source>The model file is damaged: %1 holds what no TorchScript archive holds.</source>
        <translation>模型文件已损坏：%1 中有 TorchScript 文件不会有的内容。</translation>
    </message>
    <message>
        <source>The model file is damaged: %1 holds a number that is too large.</source>
        <translation>模型文件已损坏：%1 中有过大的数。</translation>
    </message>
    <message>
        <source>The model file is damaged: %1 asks to call %2, which Cleave never does.</source>
        <translation>模型文件已损坏：%1 要求调用 %2，Cleave 从不这样做。</translation>
    </message>
    <message>
        <source>The model file is damaged: %1 %2.</source>
        <translation>模型文件已损坏：%1：%2。</translation>
    </message>
    <message>
        <source>The file is damaged: LibTorch %1 ends, or does not end, while it reads it.</source>
        <translation>文件已损坏：LibTorch %1 在读取它时异常结束或无法结束。</translation>
    </message>
    <message>
        <source>The file is damaged: %1 must be an object with one member.</source>
        <translation>文件已损坏：%1 必须是只有一个成员的对象。</translation>
    </message>
    <message>
        <source>The file is damaged: %1 must be an object.</source>
        <translation>文件已损坏：%1 必须是对象。</translation>
    </message>
    <message>
        <source>The file is damaged: %1 must be a list.</source>
        <translation>文件已损坏：%1 必须是列表。</translation>
    </message>
    <message>
        <source>The file is damaged: %1 must be text.</source>
        <translation>文件已损坏：%1 必须是文本。</translation>
    </message>
    <message>
        <source>The file is damaged: %1 must be an integer.</source>
        <translation>文件已损坏：%1 必须是整数。</translation>
    </message>
    <message>
        <source>The file is damaged: %1 must be a number.</source>
        <translation>文件已损坏：%1 必须是数。</translation>
    </message>
    <message>
        <source>The file is damaged: %1 must be true or false.</source>
        <translation>文件已损坏：%1 必须是 true 或 false。</translation>
    </message>
    <message>
        <source>The file is damaged: %1 must be %2.</source>
        <translation>文件已损坏：%1 必须是 %2。</translation>
    </message>
    <message>
        <source>The file is damaged: %1 has no %2.</source>
        <translation>文件已损坏：%1 没有 %2。</translation>
    </message>
    <message>
        <source>The file is damaged: %1 is not JSON.</source>
        <translation>文件已损坏：%1 不是 JSON。</translation>
    </message>
    <message>
        <source>The model file runs code of its own when it is loaded (__setstate__ in %1), which Cleave does not allow: export the model by torch.export.</source>
        <translation>模型文件在加载时会运行自己的代码（%1 中的 __setstate__），Cleave 不允许这样做：请用 torch.export 导出模型。</translation>
    </message>
    <message>
        <source>The file cannot be loaded by PyTorch itself: PyTorch Geometric 2.5 and later script layers wrongly that reassign edge_index (GCN, GAT, APPNP, SGC, RGCN); trace the model by torch.jit.trace instead, or export it by torch.export.</source>
        <translation>PyTorch 自身也无法加载此文件：PyTorch Geometric 2.5 及以后的版本会把重新赋值 edge_index 的层（GCN、GAT、APPNP、SGC、RGCN）错误地写成脚本；请改用 torch.jit.trace 追踪模型，或用 torch.export 导出。</translation>
    </message>
    <message>
        <source>The model uses the operator %1, which PyTorch alone does not have: make the file where the extension is not installed, or export the model by torch.export.</source>
        <translation>模型使用算子 %1，而 PyTorch 本身没有它：请在未安装该扩展的环境中生成文件，或用 torch.export 导出模型。</translation>
    </message>
    <message>
        <source>The model uses the operator %1, which LibTorch %2 does not have yet: export the model by torch.export.</source>
        <translation>模型使用算子 %1，而 LibTorch %2 还没有它：请用 torch.export 导出模型。</translation>
    </message>
    <message>
        <source>The model uses the operator %1, which Cleave does not run.</source>
        <translation>模型使用算子 %1，Cleave 不运行它。</translation>
    </message>
    <message>
        <source>The file cannot be loaded by LibTorch %1: %2; trace the model by torch.jit.trace, or export it by torch.export.</source>
        <translation>LibTorch %1 无法加载此文件：%2；请用 torch.jit.trace 追踪模型，或用 torch.export 导出。</translation>
    </message>
    <message>
        <source>The file does not say how wide the rows of input %1 are, and any width would do: open it with a graph that has them, or give it with --width %2.</source>
        <translation>文件没有说明输入 %1 的行宽，任何宽度都可行：请同时打开含有该输入的图，或用 --width %2 指定。</translation>
    </message>
    <message>
        <source>Cleave found no inputs on which the model&apos;s forward(%1) runs, though the graph has an array for each: %2; say with --role what they are, or export the model by torch.export (a trace keeps numbers of its example, such as that of its graphs).</source>
        <translation>图中的数组与模型的 forward(%1) 的每个输入同名，但未找到能使其运行的输入：%2；请用 --role 说明它们的作用，或用 torch.export 导出模型（跟踪会保留示例中的数字，如图的个数）。</translation>
    </message>
    <message>
        <source>Cleave found no inputs on which the model&apos;s forward(%1) runs, though the graph has an array for each; say with --role what they are, or export the model by torch.export (a trace keeps numbers of its example, such as that of its graphs).</source>
        <translation>图中的数组与模型的 forward(%1) 的每个输入同名，但未找到能使其运行的输入；请用 --role 说明它们的作用，或用 torch.export 导出模型（跟踪会保留示例中的数字，如图的个数）。</translation>
    </message>
    <message>
        <source>Cleave found no inputs on which the model&apos;s forward(%1) runs, though the graph has an array for each%2; say with --role what they are, or export the model by torch.export (a trace keeps numbers of its example, such as that of its graphs).</source>
        <translation>图中的数组与模型的 forward(%1) 的每个输入同名，但未找到能使其运行的输入%2；请用 --role 说明它们的作用，或用 torch.export 导出模型（跟踪会保留示例中的数字，如图的个数）。</translation>
    </message>
    <message>
        <source>Cleave found no inputs on which the model&apos;s forward(%1) runs: %2; name a graph whose arrays are called as these inputs, say with --role what they are, or export the model by torch.export (a trace keeps numbers of its example, such as that of its graphs).</source>
        <translation>Cleave 没有找到能让模型 forward(%1) 运行的输入：%2；请指定数组与这些输入同名的图，用 --role 说明它们的角色，或用 torch.export 导出模型（跟踪会保留示例中的数字，如图的个数）。</translation>
    </message>
    <message>
        <source>Cleave found no inputs on which the model&apos;s forward(%1) runs%2; name a graph whose arrays are called as these inputs, say with --role what they are, or export the model by torch.export (a trace keeps numbers of its example, such as that of its graphs).</source>
        <translation>Cleave 没有找到能让模型 forward(%1) 运行的输入%2；请指定数组与这些输入同名的图，用 --role 说明它们的角色，或用 torch.export 导出模型（跟踪会保留示例中的数字，如图的个数）。</translation>
    </message>
    <message>
        <source>The model&apos;s forward takes %1 of type %2: Cleave reads TorchScript whose inputs are tensors; export the model by torch.export, or wrap it in a module that takes tensors.</source>
        <translation>模型的 forward 接收类型为 %2 的 %1：Cleave 读取输入为张量的 TorchScript；请用 torch.export 导出模型，或把它包在接收张量的模块中。</translation>
    </message>
    <message>
        <source>The model %1; write it with PyTorch&apos;s own operators, or export the model by torch.export.</source>
        <translation>模型 %1；请用 PyTorch 自带的算子改写，或用 torch.export 导出模型。</translation>
    </message>
    <message>
        <source>The model&apos;s functions call each other more than 300 deep.</source>
        <translation>模型的函数相互调用超过 300 层。</translation>
    </message>
    <message>
        <source>The model repeats a list more than 10,000 times.</source>
        <translation>模型把一个列表重复超过 10,000 次。</translation>
    </message>
    <message>
        <source>The model hands on a dictionary in a way that Cleave does not know.</source>
        <translation>模型以 Cleave 不认识的方式传递字典。</translation>
    </message>
    <message>
        <source>The model&apos;s constant %1 is a sparse or foreign tensor, which Cleave does not read.</source>
        <translation>模型的常量 %1 是稀疏张量或外来张量，Cleave 无法读取。</translation>
    </message>
    <message>
        <source>The model calls an operator with a value of type %1, which Cleave does not know.</source>
        <translation>模型用类型为 %1 的值调用算子，Cleave 不认识该类型。</translation>
    </message>
    <message>
        <source>The model asks for size %1 of a tensor of %2 dimensions.</source>
        <translation>模型要取一个 %2 维张量的第 %1 个尺寸。</translation>
    </message>
    <message>
        <source>The trace does not read its input %1, but holds a constant of shape %2 instead: the graph that it was made with was cached (cached=True); trace a fresh model with cached=False, or export it by torch.export.</source>
        <translation>追踪结果没有读取输入 %1，而是含有形状为 %2 的常量：生成它时所用的图被缓存了（cached=True）；请用 cached=False 追踪新的模型，或用 torch.export 导出。</translation>
    </message>
    <message>
        <source>The optional input %1 is left out: --role %2 takes it in, and so does a graph with an array of its name.</source>
        <translation>可选输入 %1 被省略：用 --role %2 可加入它，带有同名数组的图也会加入它。</translation>
    </message>
    <message>
        <source>The trace holds numbers of nodes or edges of the graph that it was made with; they are counted anew on every graph.</source>
        <translation>追踪结果含有生成它的图的节点数或边数；在每个图上都会重新计数。</translation>
    </message>
    <message>
        <source>The trace has room for as many nodes of each graph as there were when it was made%1, unless forward says for how many (max_num_nodes): in PyTorch as well it is wrong on larger graphs then.</source>
        <translation>跟踪为每个图预留的节点数与跟踪时相同%1，除非 forward 另行指定（max_num_nodes）：对更大的图，它在 PyTorch 中同样是错的。</translation>
    </message>
    <message>
        <source>The forward does not read its input %1: it is left out.</source>
        <translation>forward 没有读取输入 %1：已省略。</translation>
    </message>
    <message>
        <source>The model computes in float16, which LibTorch&apos;s CPU kernels lack in part: it runs in float32 here, and casts to float16 round nothing.</source>
        <translation>模型以 float16 计算，而 LibTorch 的 CPU 内核不完全支持：这里以 float32 运行，转换为 float16 时不作舍入。</translation>
    </message>
    <message>
        <source>The forward changes its input %1: Cleave leaves the caller&apos;s tensor as it is.</source>
        <translation>forward 修改了输入 %1：Cleave 保持调用者的张量不变。</translation>
    </message>
    <message>
        <source>The model was exported on %1: it runs on the CPU here.</source>
        <translation>模型是在 %1 上导出的：这里在 CPU 上运行。</translation>
    </message>
    <message>
        <source>The program was left as it is: %1</source>
        <translation>程序保持原样：%1</translation>
    </message>
    <message>
        <source>Not in the table of row-wise operators, but found to work row by row by running them: %1.</source>
        <translation>不在逐行算子表中，但试运行表明是逐行的：%1。</translation>
    </message>
    <message>
        <source>Global ops, which run over all nodes at once between functions: %1.</source>
        <translation>在函数之间一次处理所有节点的全局算子：%1。</translation>
    </message>
    <message>
        <source>No op reads other rows than its own: the model is one function, of which batches are all that can be cut. A graph that it keeps by itself is not seen: let forward take it as edge_index, or, if it is a matrix, export the model for its number of nodes alone.</source>
        <translation>没有算子读取别的行：模型只是一个函数，只能按批切分。模型自身保存的图不可见：请让 forward 以 edge_index 接收它；若它是矩阵，请按其固定的节点数导出模型。</translation>
    </message>
    <message>
        <source>Rows that are computed and stored as those of nodes are, since edges are reduced into them, or ops need all of them: %1.</source>
        <translation>像节点行一样计算和存储的行（边被归约到这些行，或有算子需要其全部）：%1。</translation>
    </message>
    <message>
        <source>The model cannot be cut exactly: it reduces edges into rows of more than %1 kinds.</source>
        <translation>模型无法精确切分：它把边归约到超过 %1 种行。</translation>
    </message>
    <message>
        <source>Input %1 must have %2 entries along dimension %3 beside the other inputs, and not %4.</source>
        <translation>与其他输入一致，输入 %1 在维度 %3 上必须有 %2 个元素，而不是 %4 个。</translation>
    </message>
    <message>
        <source>Input %1 must go from 0 to %2, and never down: it says where rows begin and end.</source>
        <translation>输入 %1 必须从 0 到 %2，且不递减：它表示各行的起止位置。</translation>
    </message>
    <message>
        <source>Input %1 has its rows along dimension %2: they are put first.</source>
        <translation>输入 %1 的行沿维度 %2：已将其移到最前。</translation>
    </message>
    <message>
        <source>Dimension %1 of input %2 may have any size: it is taken as %3 as long as no graph says what it is.</source>
        <translation>输入 %2 的维度 %1 可以是任意大小：在图给出之前按 %3 计算。</translation>
    </message>
    <message>
        <source>Dimension %1 of input %2 may have any size: this program is for %3.</source>
        <translation>输入 %2 的维度 %1 可以是任意大小：此程序对应 %3。</translation>
    </message>
    <message>
        <source>A tensor of the model would have more entries along one dimension than can be counted.</source>
        <translation>模型的一个张量在某一维度上的元素多得无法计数。</translation>
    </message>
    <message>
        <source>Input %1 is an adjacency matrix: entry [i, j] is the weight of the edges from node j to node i. The graph&apos;s %2 and %3 take its place, unless it has an array of that name; where there are no weights they are 1.</source>
        <translation>输入 %1 是邻接矩阵：元素 [i, j] 是从节点 j 到节点 i 的边的权重。由图的 %2 和 %3 代替，除非图有这个名字的数组；没有权重时取 1。</translation>
    </message>
    <message>
        <source>%1 cannot be written: it is not a file.</source>
        <translation>无法写入 %1：它不是文件。</translation>
    </message>
    <message>
        <source>%1 cannot be written: %2.</source>
        <translation>无法写入 %1：%2。</translation>
    </message>
    <message>
        <source>%1 cannot be written.</source>
        <translation>无法写入 %1。</translation>
    </message>
    <message>
        <source>%1 cannot be read: %2.</source>
        <translation>无法读取 %1：%2。</translation>
    </message>
    <message>
        <source>%1 is empty.</source>
        <translation>%1 是空的。</translation>
    </message>
    <message>
        <source>There is no room for %1 in %2: %3.</source>
        <translation>%2 中没有 %1 的空间：%3。</translation>
    </message>
    <message>
        <source>A file with rows cannot be read: %1.</source>
        <translation>无法读取存放行的文件：%1。</translation>
    </message>
    <message>
        <source>A file for rows cannot be written: %1.</source>
        <translation>无法写入存放行的文件：%1。</translation>
    </message>
    <message>
        <source>An array of this shape does not fit into memory.</source>
        <translation>这种形状的数组放不进内存。</translation>
    </message>
    <message>
        <source>Not enough memory for an array of %1 bytes.</source>
        <translation>内存不足以存放 %1 字节的数组。</translation>
    </message>
    <message>
        <source>%1 needs about %2 of memory, more than the %3 that it may take%4.</source>
        <translation>%1 约需要 %2 内存，超过允许的 %3%4。</translation>
    </message>
    <message>
        <source>%1 is damaged: it ends within what gzip packed. Fetch it again.</source>
        <translation>%1 已损坏：在 gzip 数据中途结束。请重新获取。</translation>
    </message>
    <message>
        <source>%1 is damaged: gzip cannot unpack it. Fetch it again.</source>
        <translation>%1 已损坏：gzip 无法解压。请重新获取。</translation>
    </message>
    <message>
        <source>%1 is damaged: it lists %2 entries.</source>
        <translation>%1 已损坏：它列出了 %2 个条目。</translation>
    </message>
    <message>
        <source>%1 is damaged: entry %2 has no name.</source>
        <translation>%1 已损坏：条目 %2 没有名称。</translation>
    </message>
    <message>
        <source>%1 is damaged: its entries are larger than the archive.</source>
        <translation>%1 已损坏：其条目比压缩包还大。</translation>
    </message>
    <message>
        <source>%1 is damaged: it holds %2 twice.</source>
        <translation>%1 已损坏：%2 出现两次。</translation>
    </message>
    <message>
        <source>%1 has no entry %2.</source>
        <translation>%1 中没有条目 %2。</translation>
    </message>
    <message>
        <source>Entry %1 of %2 claims to hold %3 bytes, which cannot be.</source>
        <translation>%2 的条目 %1 声称有 %3 字节，这不可能。</translation>
    </message>
    <message>
        <source>Entry %1 of %2 holds %3, more than this machine&apos;s memory.</source>
        <translation>%2 的条目 %1 有 %3，超过本机内存。</translation>
    </message>
    <message>
        <source>Entry %1 of %2 is encrypted, which Cleave does not read.</source>
        <translation>%2 的条目 %1 已加密，Cleave 无法读取。</translation>
    </message>
    <message>
        <source>Entry %1 of %2 is damaged.</source>
        <translation>%2 的条目 %1 已损坏。</translation>
    </message>
    <message>
        <source>Entry %1 of %2 %3.</source>
        <translation>%2 的条目 %1：%3。</translation>
    </message>
    <message>
        <source>%1 is damaged: its header has no %2.</source>
        <translation>%1 已损坏：文件头中没有 %2。</translation>
    </message>
    <message>
        <source>%1 is damaged: its shape is not a tuple of sizes.</source>
        <translation>%1 已损坏：其形状不是尺寸的元组。</translation>
    </message>
    <message>
        <source>%1 is damaged: its shape is not a tuple.</source>
        <translation>%1 已损坏：其形状不是元组。</translation>
    </message>
    <message>
        <source>%1 is damaged: it ends within its header.</source>
        <translation>%1 已损坏：在文件头中途结束。</translation>
    </message>
    <message>
        <source>%1 is damaged: its header names no type.</source>
        <translation>%1 已损坏：文件头没有说明类型。</translation>
    </message>
    <message>
        <source>%1 is damaged: its shape needs more than its %2 bytes of data.</source>
        <translation>%1 已损坏：其形状所需超过它 %2 字节的数据。</translation>
    </message>
    <message>
        <source>%1 is not a NumPy array.</source>
        <translation>%1 不是 NumPy 数组。</translation>
    </message>
    <message>
        <source>%1 has a NumPy format version that Cleave does not read.</source>
        <translation>%1 的 NumPy 格式版本 Cleave 无法读取。</translation>
    </message>
    <message>
        <source>%1 has elements of type %2, which Cleave does not read; it reads little-endian numbers and bool.</source>
        <translation>%1 的元素类型为 %2，Cleave 无法读取；它读取小端序的数和布尔值。</translation>
    </message>
    <message>
        <source>An array of type %1 cannot be written as .npy.</source>
        <translation>类型为 %1 的数组无法写为 .npy。</translation>
    </message>
    <message>
        <source>%1 has no node: there is nothing to run a model on.</source>
        <translation>%1 没有节点：没有可供模型运行的内容。</translation>
    </message>
    <message>
        <source>A graph of %1 nodes does not fit into memory.</source>
        <translation>有 %1 个节点的图放不进内存。</translation>
    </message>
    <message>
        <source>Edge %1 leads to node %2, but the graph has nodes 0 to %3.</source>
        <translation>边 %1 指向节点 %2，但图中只有节点 0 到 %3。</translation>
    </message>
    <message>
        <source>An edge leads to node %1, but the graph has nodes 0 to %2.</source>
        <translation>有一条边指向节点 %1，但图中只有节点 0 到 %2。</translation>
    </message>
    <message>
        <source>An edge leads to node %1, but there are none.</source>
        <translation>有一条边指向节点 %1，但没有节点。</translation>
    </message>
    <message>
        <source>%1 has no splits: there is no split %2.</source>
        <translation>%1 没有划分：没有划分 %2。</translation>
    </message>
    <message>
        <source>%1 has %2 splits, numbered from 0: there is no split %3.</source>
        <translation>%1 有 %2 个划分，从 0 编号：没有划分 %3。</translation>
    </message>
    <message>
        <source>%1 has one split, number 0: there is no split %2.</source>
        <translation>%1 只有一个划分，编号 0：没有划分 %2。</translation>
    </message>
    <message>
        <source>%1 has no array %2 of numbers.</source>
        <translation>%1 中没有数值数组 %2。</translation>
    </message>
    <message>
        <source>%1 does not tell how many nodes the graph has: it needs an array num_nodes, x or y.</source>
        <translation>%1 没有说明图有多少个节点：它需要数组 num_nodes、x 或 y。</translation>
    </message>
    <message>
        <source>%1 names %2 nodes, but the graph has %3.</source>
        <translation>%1 命名了 %2 个节点，但图有 %3 个。</translation>
    </message>
    <message>
        <source>%1 has edges of several relations, which have no other direction: leave out --undirected.</source>
        <translation>%1 有多种关系的边，它们没有反方向：请去掉 --undirected。</translation>
    </message>
    <message>
        <source>Array %1 of %2 must hold integers, not %3.</source>
        <translation>%2 的数组 %1 必须是整数，而不是 %3。</translation>
    </message>
    <message>
        <source>Array %1 of %2 must hold two sizes.</source>
        <translation>%2 的数组 %1 必须是两个尺寸。</translation>
    </message>
    <message>
        <source>Array %1 of %2 must be bool, not %3.</source>
        <translation>%2 的数组 %1 必须是布尔值，而不是 %3。</translation>
    </message>
    <message>
        <source>Array %1 of %2 must be one number of nodes.</source>
        <translation>%2 的数组 %1 必须是一个节点数。</translation>
    </message>
    <message>
        <source>Array %1 of %2 must be of shape [2, edges], not %3: it is transposed.</source>
        <translation>%2 的数组 %1 的形状必须是 [2, 边数]，而不是 %3：它被转置了。</translation>
    </message>
    <message>
        <source>Output %1 is of shape %2, but what it is compared with is of shape %3.</source>
        <translation>输出 %1 的形状是 %2，而与它比较的数组的形状是 %3。</translation>
    </message>
    <message>
        <source>Array %1 of %2 must be integers of shape [2, edges], not %3.</source>
        <translation>%2 的数组 %1 必须是形状为 [2, 边数] 的整数，而不是 %3。</translation>
    </message>
    <message>
        <source>Array %1 of %2 must have shape [splits, nodes], not %3.</source>
        <translation>%2 的数组 %1 的形状必须是 [划分数, 节点数]，而不是 %3。</translation>
    </message>
    <message>
        <source>Array %1 of %2 must have shape [nodes], not %3.</source>
        <translation>%2 的数组 %1 的形状必须是 [节点数]，而不是 %3。</translation>
    </message>
    <message>
        <source>Array %1 of %2 names node %3 at edge %4, but the graph has %5.</source>
        <translation>%2 的数组 %1 在边 %4 处引用了节点 %3，但图有 %5。</translation>
    </message>
    <message>
        <source>Array %1 of %2 names node %3 at edge %4, but nodes are numbered from 0.</source>
        <translation>%2 的数组 %1 在边 %4 处引用了节点 %3，但节点从 0 编号。</translation>
    </message>
    <message>
        <source>Array %1 of %2 has shape %3, but the graph has %4 nodes.</source>
        <translation>%2 的数组 %1 形状为 %3，但图有 %4 个节点。</translation>
    </message>
    <message>
        <source>Array %1 of %2 has shape %3, but edge_index has %4 edges.</source>
        <translation>%2 的数组 %1 形状为 %3，但 edge_index 有 %4 条边。</translation>
    </message>
    <message>
        <source>Array %1 of %2 has shape %3, but %4 asks for %5 entries.</source>
        <translation>%2 的数组 %1 形状为 %3，但 %4 要求 %5 个条目。</translation>
    </message>
    <message>
        <source>Array %1 of %2 does not fit %3.</source>
        <translation>%2 的数组 %1 与 %3 不相符。</translation>
    </message>
    <message>
        <source>Array %1 of %2 is there twice, dense and sparse.</source>
        <translation>%2 的数组 %1 出现两次：稠密和稀疏各一次。</translation>
    </message>
    <message>
        <source>Array %1 of %2 is not ascending at row %3.</source>
        <translation>%2 的数组 %1 在第 %3 行不是递增的。</translation>
    </message>
    <message>
        <source>Array %1 of %2 %3.</source>
        <translation>%2 的数组 %1：%3。</translation>
    </message>
    <message>
        <source>Array &apos;node_names&apos; of %1 must hold a text or an int64 number for each node.</source>
        <translation>%1 的数组 &apos;node_names&apos; 必须为每个节点给出文本或 int64 数。</translation>
    </message>
    <message>
        <source>%1 is larger than 64 MiB: write a graph of this size as a list of edges.</source>
        <translation>%1 大于 64 MiB：这么大的图请写成边列表。</translation>
    </message>
    <message>
        <source>%1 holds a NUL byte: it is no DOT file.</source>
        <translation>%1 含有 NUL 字节：它不是 DOT 文件。</translation>
    </message>
    <message>
        <source>%1 is no graph in DOT: %2.</source>
        <translation>%1 不是 DOT 格式的图：%2。</translation>
    </message>
    <message>
        <source>%1 is no graph in DOT.</source>
        <translation>%1 不是 DOT 格式的图。</translation>
    </message>
    <message>
        <source>%1 has more than %2 subgraphs inside each other: this is no graph for Cleave.</source>
        <translation>%1 的子图嵌套超过 %2 层：Cleave 不处理这样的图。</translation>
    </message>
    <message>
        <source>there are more than 4,096 attributes of different names</source>
        <translation>不同名称的属性超过 4,096 个</translation>
    </message>
    <message>
        <source>%1 is GraphML, which this build of Cleave does not read: it was made without Expat. Write the graph as a list of edges.</source>
        <translation>%1 是 GraphML 文件，而此版本的 Cleave 编译时没有 Expat，无法读取。请把图写成边列表。</translation>
    </message>
    <message>
        <source>This build of Cleave has no planner &apos;optimal&apos;: it was made without CBC. Take greedy&apos;s plan.</source>
        <translation>此版本的 Cleave 没有“最优”规划器：编译时没有 CBC。请采用贪心方案。</translation>
    </message>
    <message>
        <source>This build of Cleave cannot order nodes by METIS: it was made without it; choose another node order.</source>
        <translation>此版本的 Cleave 不能用 METIS 给节点排序：编译时没有 METIS；请选择另一种节点顺序。</translation>
    </message>
    <message>
        <source>%1 is written in DOT, which this build of Cleave does not read: it was made without Graphviz. Write the graph as GraphML or as a list of edges.</source>
        <translation>%1 是 DOT 文件，而此版本的 Cleave 编译时没有 Graphviz，无法读取。请把图写成 GraphML 或边列表。</translation>
    </message>
    <message>
        <source>One of the first lines of %1 %2.</source>
        <translation>%1 的前几行之一：%2。</translation>
    </message>
    <message>
        <source>names node %1, but its graph has %2 nodes, numbered from 0</source>
        <translation>引用了节点 %1，但它的图有 %2 个节点，从 0 编号</translation>
    </message>
    <message>
        <source>names node %1, but the graph has %2 nodes, numbered from 0</source>
        <translation>引用了节点 %1，但图有 %2 个节点，从 0 编号</translation>
    </message>
    <message>
        <source>has no node where its source or target should be</source>
        <translation>在源或目标的位置没有节点</translation>
    </message>
    <message>
        <source>has a quote that does not close</source>
        <translation>有未闭合的引号</translation>
    </message>
    <message>
        <source>names node %1: numbers of nodes begin at 0</source>
        <translation>引用了节点 %1：节点编号从 0 开始</translation>
    </message>
    <message>
        <source>has %1 in column %2: what stands beside an edge must be a number</source>
        <translation>第 %2 列为 %1：边旁边的内容必须是数</translation>
    </message>
    <message>
        <source>has %1 where others have %2: each edge needs a source, a target and the same numbers</source>
        <translation>有 %1，而其他行有 %2：每条边都需要源、目标和同样多的数</translation>
    </message>
    <message>
        <source>declares an entity: Cleave reads GraphML without entities of its own</source>
        <translation>声明了实体：Cleave 读取不带自定义实体的 GraphML</translation>
    </message>
    <message>
        <source>has more than 256 elements inside each other: this is no GraphML</source>
        <translation>元素嵌套超过 256 层：这不是 GraphML</translation>
    </message>
    <message>
        <source>begins with element %1: GraphML begins with &apos;graphml&apos;</source>
        <translation>以元素 %1 开头：GraphML 以 &apos;graphml&apos; 开头</translation>
    </message>
    <message>
        <source>has a hyperedge: edges of a graph join two nodes</source>
        <translation>有超边：图的边连接两个节点</translation>
    </message>
    <message>
        <source>declares node %1 a second time</source>
        <translation>再次声明节点 %1</translation>
    </message>
    <message>
        <source>has an edge without source or target</source>
        <translation>有一条没有源或目标的边</translation>
    </message>
    <message>
        <source>has a value of more than 64 KiB: this is no number, and no GraphML for Cleave</source>
        <translation>有超过 64 KiB 的值：这不是数，也不是 Cleave 能处理的 GraphML</translation>
    </message>
    <message>
        <source>has %1 for %2, which is declared as a number</source>
        <translation>%2 的值为 %1，而它声明为数</translation>
    </message>
    <message>
        <source>is no head of a Matrix Market file: write %1, say</source>
        <translation>不是 Matrix Market 文件头：例如请写 %1</translation>
    </message>
    <message>
        <source>says that the matrix is dense (%1): a graph is a matrix of coordinates</source>
        <translation>说矩阵是稠密的（%1）：图应为坐标格式的矩阵</translation>
    </message>
    <message>
        <source>says that entries are %1: weights of edges are real, integer, or none (pattern)</source>
        <translation>说元素是 %1：边的权重是 real、integer 或没有（pattern）</translation>
    </message>
    <message>
        <source>says that the matrix is %1: a graph is general, symmetric or skew-symmetric</source>
        <translation>说矩阵是 %1：图应为 general、symmetric 或 skew-symmetric</translation>
    </message>
    <message>
        <source>must hold three sizes: rows, columns, entries</source>
        <translation>必须有三个尺寸：行数、列数、元素数</translation>
    </message>
    <message>
        <source>says that the matrix has %1 rows and %2 columns: a graph is a square matrix</source>
        <translation>说矩阵有 %1 行 %2 列：图应为方阵</translation>
    </message>
    <message>
        <source>is neither a node nor an edge of a profile graph</source>
        <translation>既不是性能图的节点也不是边</translation>
    </message>
    <message>
        <source>is one of more than %1 edges, which is no profile of a model</source>
        <translation>是超过 %1 条边中的一条，这不是模型的性能图</translation>
    </message>
    <message>
        <source>is one of more than %1 nodes, which is no profile of a model</source>
        <translation>是超过 %1 个节点中的一个，这不是模型的性能图</translation>
    </message>
    <message>
        <source>names a node %1, which is no name</source>
        <translation>引用节点 %1，这不是名称</translation>
    </message>
    <message>
        <source>names node %1 a second time</source>
        <translation>再次引用节点 %1</translation>
    </message>
    <message>
        <source>names stage %1, which is no number of a stage</source>
        <translation>引用阶段 %1，这不是阶段编号</translation>
    </message>
    <message>
        <source>states %1 as %2, which is no amount</source>
        <translation>把 %1 写为 %2，这不是数量</translation>
    </message>
    <message>
        <source>has a list of sizes without its end</source>
        <translation>尺寸列表没有结尾</translation>
    </message>
    <message>
        <source>has a stage, unlike the nodes before it</source>
        <translation>有阶段，而前面的节点没有</translation>
    </message>
    <message>
        <source>has no stage, unlike the nodes before it</source>
        <translation>没有阶段，而前面的节点有</translation>
    </message>
    <message>
        <source>Line %1 of %2 %3.</source>
        <translation>%2 第 %1 行：%3。</translation>
    </message>
    <message>
        <source>%1 has no element &apos;graph&apos;: it is no GraphML.</source>
        <translation>%1 没有元素 &apos;graph&apos;：它不是 GraphML。</translation>
    </message>
    <message>
        <source>%1 has an edge at node %2, which it does not declare.</source>
        <translation>%1 在节点 %2 处有一条边，但没有声明该节点。</translation>
    </message>
    <message>
        <source>%1 has one column: a list of edges has a source and a target in each line, with a comma, a semicolon, a tab or blanks between them.</source>
        <translation>%1 只有一列：边列表的每行都有源和目标，中间用逗号、分号、制表符或空格隔开。</translation>
    </message>
    <message>
        <source>%1 holds no edge: each line of an edge list has a source and a target.</source>
        <translation>%1 中没有边：边列表的每行都有源和目标。</translation>
    </message>
    <message>
        <source>%1 has more edges than fit into memory: %2 were read.</source>
        <translation>%1 的边多得放不进内存：已读取 %2 条。</translation>
    </message>
    <message>
        <source>%1 has edge type %2: types must be whole numbers below 16,777,216.</source>
        <translation>%1 有边类型 %2：类型必须是小于 16,777,216 的整数。</translation>
    </message>
    <message>
        <source>%1 has %2 nodes, more than the %3 that Cleave can hold.</source>
        <translation>%1 有 %2 个节点，超过 Cleave 能容纳的 %3 个。</translation>
    </message>
    <message>
        <source>%1 ends within its head: a Matrix Market file begins with %%MatrixMarket and a line of three sizes.</source>
        <translation>%1 在文件头中途结束：Matrix Market 文件以 %%MatrixMarket 和一行三个尺寸开头。</translation>
    </message>
    <message>
        <source>%1 is cut off: it has %2 entries of the %3 that it states.</source>
        <translation>%1 被截断：声明了 %3 个元素，实际只有 %2 个。</translation>
    </message>
    <message>
        <source>%1 has more entries than the %2 that it states.</source>
        <translation>%1 的元素多于它声明的 %2 个。</translation>
    </message>
    <message>
        <source>A node without a name cannot be kept: give it one.</source>
        <translation>没有名称的节点无法保存：请为它命名。</translation>
    </message>
    <message>
        <source>The node name %1 is longer than %2 bytes: shorten it.</source>
        <translation>节点名 %1 超过 %2 字节：请缩短。</translation>
    </message>
    <message>
        <source>The node name %1 holds control characters: take them out.</source>
        <translation>节点名 %1 含有控制字符：请去掉。</translation>
    </message>
    <message>
        <source>There are more named nodes than Cleave can hold.</source>
        <translation>有名称的节点多得 Cleave 无法容纳。</translation>
    </message>
    <message>
        <source>Two nodes are called %1: names must differ.</source>
        <translation>有两个节点都叫 %1：名称必须不同。</translation>
    </message>
    <message>
        <source>%1 is empty: it should hold a line of numbers for each node or edge.</source>
        <translation>%1 是空的：它应为每个节点或每条边提供一行数。</translation>
    </message>
    <message>
        <source>%1 has more numbers than fit into memory.</source>
        <translation>%1 的数多得放不进内存。</translation>
    </message>
    <message>
        <source>%1 holds a graph of several node types, which Cleave reads from .npz only: write one as the README shows.</source>
        <translation>%1 是有多种节点类型的图，Cleave 只从 .npz 读取：请按 README 所示写成 .npz。</translation>
    </message>
    <message>
        <source>%1 has no edge.csv.gz: binary data sets of the Open Graph Benchmark have to be written as .npz first.</source>
        <translation>%1 没有 edge.csv.gz：Open Graph Benchmark 的二进制数据集须先写成 .npz。</translation>
    </message>
    <message>
        <source>%1 has no %2.csv.gz: a data set of the Open Graph Benchmark needs it.</source>
        <translation>%1 没有 %2.csv.gz：Open Graph Benchmark 的数据集需要它。</translation>
    </message>
    <message>
        <source>%1 holds a number that is no size.</source>
        <translation>%1 中有一个不是尺寸的数。</translation>
    </message>
    <message>
        <source>%1 has %2 lines, but the data set has %3 to describe.</source>
        <translation>%1 有 %2 行，但数据集需要描述 %3 项。</translation>
    </message>
    <message>
        <source>num-node-list and num-edge-list of %1 have different numbers of graphs.</source>
        <translation>%1 的 num-node-list 与 num-edge-list 的图数不同。</translation>
    </message>
    <message>
        <source>%1 has %2 columns: an edge has a source and a target.</source>
        <translation>%1 有 %2 列：一条边有一个源和一个目标。</translation>
    </message>
    <message>
        <source>The files of %1 hold each edge once, where the Open Graph Benchmark&apos;s loader has both directions: --undirected adds the other one.</source>
        <translation>%1 的文件中每条边只存一次，而 Open Graph Benchmark 的加载器有两个方向：--undirected 会补上另一方向。</translation>
    </message>
    <message>
        <source>METIS cannot order a graph with %1 edges; choose another node order.</source>
        <translation>METIS 无法对有 %1 条边的图排序；请选择其他节点顺序。</translation>
    </message>
    <message>
        <source>METIS could not partition the graph; choose another node order.</source>
        <translation>METIS 无法划分该图；请选择其他节点顺序。</translation>
    </message>
    <message>
        <source>There is no device %1: cpu, cuda, or cuda:1 for the second GPU.</source>
        <translation>没有设备 %1：可用 cpu、cuda，或用 cuda:1 表示第二块 GPU。</translation>
    </message>
    <message>
        <source>One row at a time does not fit into the memory of %1, of which %2 are free: run the function on the CPU.</source>
        <translation>%1 的显存（空闲 %2）一次连一行也放不下：请在 CPU 上运行该函数。</translation>
    </message>
    <message>
        <source>Nothing can be run on %1: %2.</source>
        <translation>无法在 %1 上运行：%2。</translation>
    </message>
    <message>
        <source>%1 cannot run on %2: %3.</source>
        <translation>%1 无法在 %2 上运行：%3。</translation>
    </message>
    <message>
        <source>A node order needs as many sources as targets and a batch size of at least 1.</source>
        <translation>节点顺序要求源与目标数量相同，且批大小至少为 1。</translation>
    </message>
    <message>
        <source>More than 2,147,483,647 nodes cannot be ordered.</source>
        <translation>超过 2,147,483,647 个节点无法排序。</translation>
    </message>
    <message>
        <source>%1 has no nodes.</source>
        <translation>%1 没有节点。</translation>
    </message>
    <message>
        <source>%1 has a cycle, at or before node %2.</source>
        <translation>%1 有环，位于节点 %2 处或之前。</translation>
    </message>
    <message>
        <source>The file of array %1 of graph %2 has changed since it was read: open the graph again.</source>
        <translation>图 %2 的数组 %1 的文件在读取后已被更改：请重新打开该图。</translation>
    </message>
    <message>
        <source>Parameter %1 has %2 rows, but graph %3 has %4 nodes.</source>
        <translation>参数 %1 有 %2 行，但图 %3 有 %4 个节点。</translation>
    </message>
    <message>
        <source>No input of the model is an edge index [2, edges] of which it is known what nodes it names, so that they could be ordered by it; take the natural order.</source>
        <translation>模型的输入中没有可用来给节点排序的边索引 [2, 边数]；请使用自然顺序。</translation>
    </message>
    <message>
        <source>A node order of %1 nodes does not fit a graph of %2.</source>
        <translation>%1 个节点的顺序不适用于有 %2 个节点的图。</translation>
    </message>
    <message>
        <source>A node order must name each node once.</source>
        <translation>节点顺序必须恰好包含每个节点一次。</translation>
    </message>
    <message>
        <source>There is no node %1: the graph has nodes 0 to %2.</source>
        <translation>没有节点 %1：图中只有节点 0 到 %2。</translation>
    </message>
    <message>
        <source>There is no node %1: the graph has none.</source>
        <translation>没有节点 %1：图中没有节点。</translation>
    </message>
    <message>
        <source>is longer than 4 MiB: this is no text file of the kind that its name says</source>
        <translation>超过 4 MiB：这不是其名称所说的那种文本文件</translation>
    </message>
    <message>
        <source>holds a NUL byte: this is no text file, or not one in UTF-8</source>
        <translation>含有 NUL 字节：这不是文本文件，或不是 UTF-8 编码</translation>
    </message>
    <message>
        <source>is no XML (%1)</source>
        <translation>不是 XML（%1）</translation>
    </message>
    <message>
        <source>has %1 numbers where the first has %2</source>
        <translation>有 %1 个数，而第一行有 %2 个</translation>
    </message>
    <message>
        <source>must hold a row, a column and a number</source>
        <translation>必须有行号、列号和一个数</translation>
    </message>
    <message>
        <source>must hold a row, a column and nothing else</source>
        <translation>必须只有行号和列号</translation>
    </message>
    <message>
        <source>names an entry of the diagonal, where a skew-symmetric matrix has none</source>
        <translation>写有对角线元素，而反对称矩阵没有对角线元素</translation>
    </message>
    <message>
        <source>names entry (%1), but rows and columns are numbered from 1 to %2</source>
        <translation>写有元素 (%1)，但行和列从 1 编号到 %2</translation>
    </message>
    <message>
        <source>leads to or from node %1, which is not there</source>
        <translation>连接的节点 %1 不存在</translation>
    </message>
    <message>
        <source>leads from node %1 to itself</source>
        <translation>从节点 %1 指向自身</translation>
    </message>
    <message>
        <source>leads from stage %1 back to stage %2</source>
        <translation>从阶段 %1 退回到阶段 %2</translation>
    </message>
    <message>
        <source>has %1 where a number should be</source>
        <translation>在应为数的位置是 %1</translation>
    </message>
    <message>
        <source>has %1 in column %2, which is no %3</source>
        <translation>第 %2 列为 %1，不是 %3</translation>
    </message>
    <message>
        <source>has no %1</source>
        <translation>没有 %1</translation>
    </message>
    <message>
        <source>The counts of a graph do not fit the cut of this model.</source>
        <translation>图的统计与此模型的切分不相符。</translation>
    </message>
    <message>
        <source>The solver found no plan at all, which cannot be: the plan that it starts from is one.</source>
        <translation>求解器没有找到任何方案，这不可能：它的起始方案就是一个。</translation>
    </message>
    <message>
        <source>The solver lost the plan that it started from.</source>
        <translation>求解器丢失了它的起始方案。</translation>
    </message>
    <message>
        <source>The solver&apos;s plan is not legal: %1</source>
        <translation>求解器的方案不合法：%1</translation>
    </message>
    <message>
        <source>The plan is of version %1, but this program reads version %2 only.</source>
        <translation>方案的版本为 %1，而此程序只读取版本 %2。</translation>
    </message>
    <message>
        <source>%1: batch_size must not be negative.</source>
        <translation>%1：batch_size 不能为负。</translation>
    </message>
    <message>
        <source>The plan places %1 more than once.</source>
        <translation>方案多次安排 %1。</translation>
    </message>
    <message>
        <source>The plan is for another model, %1: of its %2 ops on node rows %3 are here.</source>
        <translation>方案属于另一个模型 %1：其 %2 个节点行算子中只有 %3 个在这里。</translation>
    </message>
    <message>
        <source>The plan is for another model: of its %1 ops on node rows %2 are here, where there are %3.</source>
        <translation>方案属于另一个模型：其 %1 个节点行算子中只有 %2 个在这里，而这里共有 %3 个。</translation>
    </message>
    <message>
        <source>The plan is not legal for this model: %1</source>
        <translation>方案对此模型不合法：%1</translation>
    </message>
    <message>
        <source>The plan does not keep its own constraints.</source>
        <translation>方案不满足它自己的约束。</translation>
    </message>
    <message>
        <source>%1 is too large: %2, and no more than %3 of such a file are read.</source>
        <translation>%1 过大：%2，此类文件最多读取 %3。</translation>
    </message>
    <message>
        <source>%1 is no plan of Cleave: it has no 'cleave_plan'.</source>
        <translation>%1 不是 Cleave 的方案：其中没有 'cleave_plan'。</translation>
    </message>
    <message>
        <source>The plan cannot be run: %1</source>
        <translation>方案无法运行：%1</translation>
    </message>
    <message>
        <source>The plan %1 does not fit into %2: it needs %3.</source>
        <translation>方案 %1 放不进 %2 内存：它需要 %3。</translation>
    </message>
    <message>
        <source>%1 cannot stand %2, since functions over nodes of several types that run together keep their ops.</source>
        <translation>%1 不能位于%2，因为作用于多种节点类型且一起运行的函数，其运算不能移出或移入。</translation>
    </message>
    <message>
        <source>Op %1 (embedding_renorm_) is no table&apos;s.</source>
        <translation>运算 %1（embedding_renorm_）作用的不是表。</translation>
    </message>
    <message>
        <source>The trace holds PyTorch&apos;s fast path of a TransformerEncoder%1: trace it after torch.backends.mha.set_fastpath_enabled(False), or export the model by torch.export.</source>
        <translation>该 trace 含有 PyTorch 的 TransformerEncoder 快速路径%1：请先调用 torch.backends.mha.set_fastpath_enabled(False) 再 trace，或用 torch.export 导出模型。</translation>
    </message>
    <message>
        <source>The functions cannot be joined: the same numbers name nodes of several types.</source>
        <translation>这些函数不能合并：同一组编号指向多种类型的节点。</translation>
    </message>
    <message>
        <source>The functions cannot be joined: %1 names nodes of several types.</source>
        <translation>这些函数不能合并：%1 指向多种类型的节点。</translation>
    </message>
    <message>
        <source>Node orders can be compared on a graph only.</source>
        <translation>只有在图上才能比较节点顺序。</translation>
    </message>
    <message>
        <source>A graph needs at least one node, and not less than no edges.</source>
        <translation>图至少要有一个节点，边数不能为负。</translation>
    </message>
    <message>
        <source>Ops can be measured on a graph only.</source>
        <translation>只有在图上才能测量算子。</translation>
    </message>
    <message>
        <source>The batch size must be at least 1.</source>
        <translation>批大小至少为 1。</translation>
    </message>
    <message>
        <source>%1: %2 must be above 0; measure anew with cleave-cli calibrate.</source>
        <translation>%1：%2 必须大于 0；请用 cleave-cli calibrate 重新测量。</translation>
    </message>
    <message>
        <source>%1 with these arguments: %2.</source>
        <translation>%1，参数如下：%2。</translation>
    </message>
    <message>
        <source>LibTorch cannot compute with %1 tensors.</source>
        <translation>LibTorch 无法用 %1 张量计算。</translation>
    </message>
    <message>
        <source>Only nodes can be asked for, but output %1 has a row for each edge, or entry of a list: with --target-type %2 it is left out.</source>
        <translation>只能请求节点，但输出 %1 是每条边或列表的每一项一行：用 --target-type %2 可以略去它。</translation>
    </message>
    <message>
        <source>Input %1 names node %2, but there are none.</source>
        <translation>输入 %1 指向节点 %2，但没有节点。</translation>
    </message>
    <message>
        <source>Input %1 names row %2, but there are none.</source>
        <translation>输入 %1 指向第 %2 行，但没有任何行。</translation>
    </message>
    <message>
        <source>%1 names row %2, but there are none.</source>
        <translation>%1 指向第 %2 行，但没有任何行。</translation>
    </message>
    <message>
        <source>%1 names row %2, but there are rows 0 to %3.</source>
        <translation>%1 指向第 %2 行，但只有第 0 到 %3 行。</translation>
    </message>
    <message>
        <source>Only nodes can be asked for, but no output has a row for each node.</source>
        <translation>只能询问节点，但没有输出为每个节点各有一行。</translation>
    </message>
    <message>
        <source>Input %1 divides rows into %2, but the trace adds them up into %3, as many as there were when it was made: trace the model on as many graphs, or export it by torch.export with their number as an input of forward.</source>
        <translation>输入 %1 将行分成 %2 组，但跟踪记录将其汇总为 %3 组（与生成跟踪时相同）：请在相同数量的图上跟踪模型，或用 torch.export 导出模型并将图的数量作为 forward 的输入。</translation>
    </message>
    <message>
        <source>Input %1 names row %2, but there are rows 0 to %3.</source>
        <translation>输入 %1 指向第 %2 行，但只有第 0 到 %3 行。</translation>
    </message>
    <message>
        <source>No output has rows of %1, but of %2.</source>
        <translation>没有输出的行属于 %1，只有属于 %2 的。</translation>
    </message>
    <message>
        <source>There would be %1 rows of %2.</source>
        <translation>%2 的行数会是 %1。</translation>
    </message>
    <message>
        <source>The inputs do not tell how many rows of %1 there are.</source>
        <translation>输入没有给出 %1 有多少行。</translation>
    </message>
    <message>
        <source>%1 has %2 entries, but edges are reduced at the %3 of %4.</source>
        <translation>%1 有 %2 个元素，但边按 %4 的 %3 个元素归约。</translation>
    </message>
    <message>
        <source>%1 has %2 entries, but is read at entry %3.</source>
        <translation>%1 有 %2 个元素，却要读取第 %3 个。</translation>
    </message>
    <message>
        <source>The plan cannot say how many rows of size %1 there are.</source>
        <translation>方案无法说明大小为 %1 的行有多少。</translation>
    </message>
    <message>
        <source>Edge %1 leads to node %2, but there are none.</source>
        <translation>边 %1 指向节点 %2，但没有节点。</translation>
    </message>
    <message>
        <source>The file of expected outputs has no array named expected, expected_0, expected_1, …, nor one called as an output of the model.</source>
        <translation>预期输出文件中没有名为 expected、expected_0、expected_1、…… 的数组，也没有与模型输出同名的数组。</translation>
    </message>
    <message>
        <source>The file of expected outputs has no array of numbers.</source>
        <translation>预期输出文件中没有数值数组。</translation>
    </message>
    <message>
        <source>The file of expected outputs has an array %1, but the model has no such output.</source>
        <translation>预期输出文件中有数组 %1，但模型没有这个输出。</translation>
    </message>
    <message>
        <source>The file of expected outputs has none of %1: it is compared with the uncut model only.</source>
        <translation>预期输出文件中没有 %1 的数组：它只与未切分的模型比较。</translation>
    </message>
    <message>
        <source>The graph cannot be laid out: the system refuses another thread; close other programs and try again.</source>
        <translation>无法布局图：系统拒绝创建新线程；请关闭其他程序后重试。</translation>
    </message>
    <message>
        <source>The graph cannot be laid out: %1.</source>
        <translation>无法布局图：%1。</translation>
    </message>
    <message>
        <source>Graphviz cannot lay out the graph.</source>
        <translation>Graphviz 无法布局该图。</translation>
    </message>
    <message>
        <source>The layout helper and the program do not understand each other: %1.</source>
        <translation>布局助手与程序无法互相理解：%1。</translation>
    </message>
    <message>
        <source>Checking what was made of the model on a random graph</source>
        <translation>正在用随机图检查由模型得到的程序</translation>
    </message>
    <message>
        <source>Laying out</source>
        <translation>正在布局</translation>
    </message>
    <message>
        <source>Reading arrays</source>
        <translation>正在读取数组</translation>
    </message>
    <message>
        <source>Reading edges</source>
        <translation>正在读取边</translation>
    </message>
    <message>
        <source>Reading nodes</source>
        <translation>正在读取节点</translation>
    </message>
    <message>
        <source>The model cannot be cut exactly: %1 mixes rows: a result row depends on other rows of its operands, and it is not one row for each node or one for the graph.</source>
        <translation>模型无法精确切分：%1 混合了多行：结果的一行依赖操作数的其他行，且结果既不是每个节点一行，也不是整个图一行。</translation>
    </message>
    <message>
        <source>The model cannot be cut exactly: %1 is not known to work row by row, and running it on permuted and truncated rows did not show that it does.</source>
        <translation>模型无法精确切分：不知道 %1 是否逐行计算，用打乱和截断的行试运行也未能证明。</translation>
    </message>
    <message>
        <source>a choice of one item</source>
        <translation>一项选择</translation>
    </message>
    <message>
        <source>a function&apos;s number</source>
        <translation>函数编号</translation>
    </message>
    <message>
        <source>a number or a name</source>
        <translation>数或名称</translation>
    </message>
    <message>
        <source>a size</source>
        <translation>尺寸</translation>
    </message>
    <message>
        <source>a tensor of at most 16 dimensions</source>
        <translation>至多 16 维的张量</translation>
    </message>
    <message>
        <source>a tensor or a number</source>
        <translation>张量或数</translation>
    </message>
    <message>
        <source>a tensor or a number with a name</source>
        <translation>有名称的张量或数</translation>
    </message>
    <message>
        <source>a graph that is run with or without gradients</source>
        <translation>带梯度或不带梯度运行的图</translation>
    </message>
    <message>
        <source>as many inputs as the graph is given</source>
        <translation>与传给该图的一样多的输入</translation>
    </message>
    <message>
        <source>as many outputs as the graph has</source>
        <translation>与该图的输出一样多的输出</translation>
    </message>
    <message>
        <source>a type of numbers</source>
        <translation>数的类型</translation>
    </message>
    <message>
        <source>syntax error in line %1 near %2</source>
        <translation>第 %1 行的 %2 附近有语法错误</translation>
    </message>
    <message>
        <source>syntax error in line %1 scanning a quoted string (%2)</source>
        <translation>第 %1 行的引号字符串有语法错误（%2）</translation>
    </message>
    <message>
        <source>syntax error in line %1</source>
        <translation>第 %1 行有语法错误</translation>
    </message>
    <message>
        <source>No op of the function above the cut can move below it: %1</source>
        <translation>切口上方的函数中没有算子可以移到切口下方：%1</translation>
    </message>
    <message>
        <source>No op stands before the message passing below the cut that can move above it: %1</source>
        <translation>切口下方的消息传递之前没有可以移到切口上方的算子：%1</translation>
    </message>
    <message>
        <source>in function %1</source>
        <translation>函数 %1 中</translation>
    </message>
    <message>
        <source>The plan was made for another file, %1 (SHA-256 %2, here %3): its ops are found by their names.</source>
        <translation>该方案是为另一个文件 %1 制定的（SHA-256 为 %2，此处为 %3）：其中的算子按名称查找。</translation>
    </message>
    <message>
        <source>The plan was made for another file (SHA-256 %1, here %2): its ops are found by their names.</source>
        <translation>该方案是为另一个文件制定的（SHA-256 为 %1，此处为 %2）：其中的算子按名称查找。</translation>
    </message>
    <message>
        <source>Cleave found no inputs on which the model&apos;s forward(%1) runs; name a graph whose arrays are called as these inputs, say with --role what they are, or export the model by torch.export (a trace keeps numbers of its example, such as that of its graphs).</source>
        <translation>Cleave 没有找到能让模型的 forward(%1) 运行的输入；请指定一个数组与这些输入同名的图，用 --role 说明它们是什么，或用 torch.export 导出模型（跟踪会保留示例中的数字，如图的个数）。</translation>
    </message>
    <message>
        <source>There is no plan %1 of this model: a global op waits for all nodes between any two functions.</source>
        <translation>这个模型没有方案 %1：任意两个函数之间都有一个全局算子要等待所有节点。</translation>
    </message>
    <message>
        <source>What is only looked at has no plan to report on: it can be written as a picture or in DOT.</source>
        <translation>仅供查看的图没有可以报告的方案：可以把它写成图片或 DOT。</translation>
    </message>
    <message>
        <source>The times of ops are measured when nothing else runs: try again then.</source>
        <translation>算子的时间要在没有其他任务运行时测量：请到时再试。</translation>
    </message>
    <message>
        <source>The times of ops are those on a graph: open one first.</source>
        <translation>算子的时间是在一个图上的时间：请先打开一个图。</translation>
    </message>
    <message>
        <source>The graph has no array edge_index, but a square matrix: it fits models that take that, or no edges.</source>
        <translation>图没有数组 edge_index，但有一个方阵：它适合接受该矩阵或不接受边的模型。</translation>
    </message>
    <message>
        <source>The adjacency matrix &apos;%1&apos; of graph %2 has %3 rows and columns, but the graph has %4 nodes.</source>
        <translation>图 %2 的邻接矩阵 &apos;%1&apos; 有 %3 行和列，但图有 %4 个节点。</translation>
    </message>
    <message>
        <source>The graph %1 has no array %2 for the model&apos;s input of that name; it has %3. Random numbers can take its place (--features random).</source>
        <translation>图 %1 中没有与模型输入 %2 同名的数组；它有 %3。可以用随机数代替它（--features random）。</translation>
    </message>
    <message>
        <source>The graph %1 has no array %2 for the model&apos;s input of that name; it has %3.</source>
        <translation>图 %1 中没有与模型输入 %2 同名的数组；它有 %3。</translation>
    </message>
    <message>
        <source>No array says how many nodes there are: as many as edges name are taken, %1, unless the model has learned rows for them.</source>
        <translation>没有数组说明节点的个数：取边所提到的个数 %1，除非模型为节点学习了各自的行。</translation>
    </message>
    <message>
        <source>The model works out a number from sizes by %1, which Cleave does not follow: it may be another one on other graphs. Export the model by torch.export.</source>
        <translation>模型通过 %1 由尺寸算出一个数，Cleave 不跟踪这一运算：在其他图上它可能不同。请用 torch.export 导出模型。</translation>
    </message>
    <message>
        <source>The script works out something else for this graph&apos;s sizes at %1:%2 than for those that it was read with: export the model by torch.export.</source>
        <translation>对于此图的尺寸，脚本在 %1:%2 处算出的结果与读取时不同：请用 torch.export 导出模型。</translation>
    </message>
    <message>
        <source>The model has more than %1 operators one behind another, up to %2: Cleave follows no longer chains.</source>
        <translation>模型中首尾相接的运算超过 %1 个，直到 %2：Cleave 不处理更长的链。</translation>
    </message>
    <message>
        <source>An array of %1 is called &apos;%2&apos;, which cannot be the name of a file.</source>
        <translation>%1 中有一个数组名为 &apos;%2&apos;，不能用作文件名。</translation>
    </message>
    <message>
        <source>Rows of some nodes cannot be computed alone: the model does not run on random graphs of other sizes.</source>
        <translation>无法单独计算部分节点的行：模型不能在其他大小的随机图上运行。</translation>
    </message>
    <message>
        <source>No op on node features reads other rows than its own: what forward makes of the edges is computed once, beforehand, and the model is one function, of which batches are all that can be cut.</source>
        <translation>没有作用于节点特征的运算读取其他行：forward 由边得到的内容只需事先计算一次，模型是一个函数，只能按批次切分。</translation>
    </message>
    <message>
        <source>All outputs are NaN or infinite on this graph, those of the uncut model too: there is nothing to compare. Look for NaN or infinite numbers in the features.</source>
        <translation>在这个图上所有输出都是 NaN 或无穷大，未切分模型的输出也是如此：没有可比较的内容。请检查特征中是否有 NaN 或无穷大。</translation>
    </message>
    <message>
        <source>The model uses the operator %1 (%2), which Cleave does not run.</source>
        <translation>模型使用了算子 %1（%2），Cleave 不会运行它。</translation>
    </message>
    <message>
        <source>There is no picture to print: open a model first.</source>
        <translation>没有可打印的图：请先打开一个模型。</translation>
    </message>
    <message>
        <source>There are no outputs yet: run the model on a graph first.</source>
        <translation>还没有输出：请先在图上运行模型。</translation>
    </message>
    <message>
        <source>%1 must end in .svg, .pdf, .png, .dot, .html, .csv, .npz, .npy or .txt, which says what is written.</source>
        <translation>%1 必须以 .svg、.pdf、.png、.dot、.html、.csv、.npz、.npy 或 .txt 结尾，后缀决定写入的内容。</translation>
    </message>
    <message>
        <source>Rows of %1 are computed from parameters alone: they are computed once, and are the node features.</source>
        <translation>%1 的行只由参数算出：只计算一次，并作为节点特征。</translation>
    </message>
    <message>
        <source>The matrix %1 of the model's own has a row and a column for each node: it is multiplied by the rows of all nodes at once.</source>
        <translation>模型自带的矩阵 %1 对每个节点各有一行一列：它一次与所有节点的行相乘。</translation>
    </message>
    <message>
        <source>There would be %1 rows of %2: Cleave handles up to %3.</source>
        <translation>%2 会有 %1 行：Cleave 最多处理 %3 行。</translation>
    </message>
    <message>
        <source>More edges than 32 bits count cannot be gone through at once.</source>
        <translation>一次无法处理超过 32 位计数的边。</translation>
    </message>
    <message>
        <source>The model cannot be cut exactly: %1 puts rows of more than %2 tensors after each other.</source>
        <translation>无法精确切分该模型：%1 把超过 %2 个张量的行依次拼接。</translation>
    </message>
    <message>
        <source>%1 is read here, and would be replaced: name another file to write.</source>
        <translation>%1 正在被读取，写入会将其覆盖：请指定另一个输出文件。</translation>
    </message>
    <message>
        <source>The outputs have rows of several types of nodes (%1): say with --target-type which are asked for.</source>
        <translation>输出含有多种类型节点的行（%1）：请用 --target-type 指明需要哪一种。</translation>
    </message>
    <message>
        <source>%1 cannot be written: it is read-only.</source>
        <translation>无法写入 %1：它是只读的。</translation>
    </message>
    <message>
        <source>%1 is a folder.</source>
        <translation>%1 是文件夹。</translation>
    </message>
    <message>
        <source>%1 holds a file %2 that belongs to no package which Cleave wrote: name another folder, a new or an empty one.</source>
        <translation>%1 中的文件 %2 不属于 Cleave 写出的包：请另选文件夹，新的或空的。</translation>
    </message>
    <message>
        <source>The folder %1 cannot be made: %2.</source>
        <translation>无法创建文件夹 %1：%2。</translation>
    </message>
    <message>
        <source>The model repeats a list to more than a million entries.</source>
        <translation>模型把一个列表重复成超过一百万项。</translation>
    </message>
    <message>
        <source>The file holds arrays, as a graph&apos;s does, and no exported program: the model comes first, then the graph.</source>
        <translation>该文件与图文件一样只含数组，没有导出的程序：请先给出模型，再给出图。</translation>
    </message>
    <message>
        <source>Op %1 (%2) takes one number of the program: %3.</source>
        <translation>算子 %1（%2）只接受程序中的一个数：%3。</translation>
    </message>
    <message>
        <source>No op that Cleave can follow depends on node features: the whole model is computed once, beforehand, and there is nothing to cut. Rows that forward makes itself count as node features if it takes them as an input.</source>
        <translation>Cleave 能跟踪的算子都不依赖节点特征：整个模型事先计算一次，没有可切之处。forward 自己产生的行若改作输入传入，就算作节点特征。</translation>
    </message>
    <message>
        <source>Line %1 of %2 has no numbers of nodes (%3): what the file calls nodes are taken for names, and nodes are numbered as these come.</source>
        <translation>%2 的第 %1 行没有节点编号（%3）：文件中的节点称呼都视为名称，节点按其出现顺序编号。</translation>
    </message>
    <message>
        <source>Column %1 of %2 has no name: it is taken for numbers of lines and left out.</source>
        <translation>%2 的第 %1 列没有名称：视为行号并略去。</translation>
    </message>
    <message>
        <source>Another run is at work in %1: wait for its end, or name another folder.</source>
        <translation>另一次运行正在使用 %1：请等待其结束，或另选文件夹。</translation>
    </message>
    <message>
        <source>%1 is a pipe or a device: write what it gives into a file first.</source>
        <translation>%1 是管道或设备：请先把其内容写入文件。</translation>
    </message>
</context>
<context>
    <name>cleave::Main</name>
    <message>
        <source>Visual splitting of graph neural networks</source>
        <translation>图神经网络的可视化切分</translation>
    </message>
    <message>
        <source>Print the versions of Cleave, LibTorch, Qt and Graphviz.</source>
        <translation>显示 Cleave、LibTorch、Qt 和 Graphviz 的版本。</translation>
    </message>
    <message>
        <source>Colours: system, light, dark or high-contrast.</source>
        <translation>配色：system、light、dark 或 high-contrast。</translation>
    </message>
    <message>
        <source>Language of the window: %1.</source>
        <translation>窗口的语言：%1。</translation>
    </message>
    <message>
        <source>What an input or parameter of the model is (node-features, graph-structure, edge-features, other), instead of the guess; may be repeated.</source>
        <translation>指定模型的输入或参数的角色（node-features、graph-structure、edge-features、other），以代替自动推测；可重复使用。</translation>
    </message>
    <message>
        <source>Graph file (.npz, a list of edges, .mtx, .graphml or .dot).</source>
        <translation>图文件（.npz、边列表、.mtx、.graphml 或 .dot）。</translation>
    </message>
    <message>
        <source>Model file (.pt2 or .pt).</source>
        <translation>模型文件（.pt2 或 .pt）。</translation>
    </message>
    <message>
        <source>Entries of each row of an input, where a TorchScript file leaves them open; may be repeated.</source>
        <translation>输入每行的元素数（当 TorchScript 文件未给出时）；可重复。</translation>
    </message>
    <message>
        <source>Open the bundled example, a GraphSAGE on Cora in batches of 256 nodes.</source>
        <translation>打开附带的示例：Cora 上的 GraphSAGE，每批 256 个节点。</translation>
    </message>
</context>
<context>
    <name>cleave::views::BatchCurve</name>
    <message>
        <source>Cost over batch size</source>
        <translation>代价随批大小的变化</translation>
    </message>
    <message>
        <source>batches of %1: %2, at most %3 of memory</source>
        <translation>批大小 %1：%2，最多占用 %3 内存</translation>
    </message>
    <message>
        <source>now %1</source>
        <translation>当前 %1</translation>
    </message>
    <message>
        <source>least %1 at %2</source>
        <translation>最小 %1，批大小 %2</translation>
    </message>
    <message>
        <source>Batch sizes</source>
        <translation>批大小</translation>
    </message>
    <message>
        <source>Click to run in batches of this size</source>
        <translation>点击以使用此批大小运行</translation>
    </message>
</context>
<context>
    <name>cleave::views::CodePanel</name>
    <message>
        <source>File</source>
        <translation>文件</translation>
    </message>
    <message>
        <source>Python source</source>
        <translation>Python 源代码</translation>
    </message>
    <message>
        <source>Open a model to see its functions as Python.</source>
        <translation>打开一个模型，即可查看其函数的 Python 代码。</translation>
    </message>
</context>
<context>
    <name>cleave::views::CostBars</name>
    <message>
        <source>over the bus</source>
        <translation>总线传输</translation>
    </message>
    <message>
        <source>blocks</source>
        <translation>建块</translation>
    </message>
    <message>
        <source>read for rows of blocks</source>
        <translation>为块行读取</translation>
    </message>
    <message>
        <source>read for own rows</source>
        <translation>为自身行读取</translation>
    </message>
    <message>
        <source>compute for rows of blocks</source>
        <translation>为块行计算</translation>
    </message>
    <message>
        <source>compute for own rows</source>
        <translation>为自身行计算</translation>
    </message>
    <message>
        <source>write</source>
        <translation>写入</translation>
    </message>
    <message>
        <source>read</source>
        <translation>读取</translation>
    </message>
    <message>
        <source>compute</source>
        <translation>计算</translation>
    </message>
    <message>
        <source>for rows of blocks</source>
        <translation>用于块行</translation>
    </message>
</context>
<context>
    <name>cleave::views::DegreeChart</name>
    <message>
        <source>Nodes by in-degree</source>
        <translation>按入度统计的节点数</translation>
    </message>
</context>
<context>
    <name>cleave::views::Description</name>
    <message>
        <source>put rows before other dimensions</source>
        <translation>将行移到其他维度之前</translation>
    </message>
    <message>
        <source>put linear layers before aggregations</source>
        <translation>将线性层移到聚合之前</translation>
    </message>
    <message>
        <source>put linear layers behind aggregations</source>
        <translation>将线性层移到聚合之后</translation>
    </message>
    <message>
        <source>add up linear layers of one input</source>
        <translation>将同一输入的线性层相加</translation>
    </message>
    <message>
        <source>merge linear layers of one input</source>
        <translation>合并同一输入的线性层</translation>
    </message>
    <message>
        <source>fold batch norms into linear layers</source>
        <translation>将批归一化并入线性层</translation>
    </message>
    <message>
        <source>gather equal rows once</source>
        <translation>相同的行只收集一次</translation>
    </message>
    <message>
        <source>compute rows of edges once and store them</source>
        <translation>边的行只计算一次并存储</translation>
    </message>
    <message>
        <source>%1 %2 ×</source>
        <translation>%1 × %2</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>file</source>
        <translation>文件</translation>
    </message>
    <message>
        <source>class</source>
        <translation>类</translation>
    </message>
    <message>
        <source>written by</source>
        <translation>生成工具</translation>
    </message>
    <message>
        <source>operators</source>
        <translation>算子</translation>
    </message>
    <message>
        <source>functions</source>
        <translation>函数</translation>
    </message>
    <message>
        <source>message degree</source>
        <translation>消息阶数</translation>
    </message>
    <message>
        <source>node types</source>
        <translation>节点类型</translation>
    </message>
    <message>
        <source>note</source>
        <translation>备注</translation>
    </message>
    <message>
        <source>Inputs</source>
        <translation>输入</translation>
    </message>
    <message>
        <source>Clean-up</source>
        <translation>清理</translation>
    </message>
    <message>
        <source>nothing to remove</source>
        <translation>没有可移除的内容</translation>
    </message>
    <message>
        <source>Rewrites</source>
        <translation>重写</translation>
    </message>
    <message>
        <source>Graph</source>
        <translation>图</translation>
    </message>
    <message>
        <source>%1, built in</source>
        <translation>%1（内置）</translation>
    </message>
    <message>
        <source>V, nodes</source>
        <translation>V，节点</translation>
    </message>
    <message>
        <source>M, edges</source>
        <translation>M，边</translation>
    </message>
    <message>
        <source>in-degree</source>
        <translation>入度</translation>
    </message>
    <message>
        <source>%1 to %2</source>
        <translation>%1 到 %2</translation>
    </message>
    <message>
        <source>mean, median</source>
        <translation>平均值，中位数</translation>
    </message>
    <message>
        <source>classes</source>
        <translation>类别</translation>
    </message>
    <message>
        <source>training nodes</source>
        <translation>训练节点</translation>
    </message>
    <message>
        <source>validation nodes</source>
        <translation>验证节点</translation>
    </message>
    <message>
        <source>test nodes</source>
        <translation>测试节点</translation>
    </message>
    <message>
        <source>node features</source>
        <translation>节点特征</translation>
    </message>
    <message>
        <source>graph structure</source>
        <translation>图结构</translation>
    </message>
    <message>
        <source>edge features</source>
        <translation>边特征</translation>
    </message>
    <message>
        <source>other</source>
        <translation>其他</translation>
    </message>
    <message>
        <source>Most edges first</source>
        <translation>边多者优先</translation>
    </message>
    <message>
        <source>Breadth first</source>
        <translation>广度优先</translation>
    </message>
    <message>
        <source>Clusters (METIS)</source>
        <translation>聚类 (METIS)</translation>
    </message>
    <message>
        <source>As in the file</source>
        <translation>按文件中的顺序</translation>
    </message>
    <message numerus="yes">
        <source>in-degree %1: %Ln node(s)</source>
        <translation>
            <numerusform>入度 %1：%Ln 个节点</numerusform>
        </translation>
    </message>
    <message>
        <source>Arrays for inputs</source>
        <translation>输入所用的数组</translation>
    </message>
    <message>
        <source>that of its name</source>
        <translation>同名的数组</translation>
    </message>
    <message>
        <source>none of its name</source>
        <translation>没有同名的数组</translation>
    </message>
    <message>
        <source>The array of the graph that runs take</source>
        <translation>运行时采用的图数组</translation>
    </message>
    <message>
        <source>Measured: %1 GFLOP/s of matrix products; %2/s of rows read in order, %3/s at random places, %4/s written.</source>
        <translation>测得：矩阵乘 %1 GFLOP/s；顺序读行 %2/s，随机读行 %3/s，写入 %4/s。</translation>
    </message>
</context>
<context>
    <name>cleave::views::Document</name>
    <message>
        <source>The plan begins anew: Undo brings back the one before.</source>
        <translation>方案重新开始：撤销可恢复之前的方案。</translation>
    </message>
    <message>
        <source>Opening %1</source>
        <translation>正在打开 %1</translation>
    </message>
    <message>
        <source>Reading %1</source>
        <translation>正在读取 %1</translation>
    </message>
    <message>
        <source>Verify compares with the outputs in %1.</source>
        <translation>验证时将与 %1 中的输出进行比较。</translation>
    </message>
    <message>
        <source>Verify no longer compares with the outputs in %1.</source>
        <translation>验证不再与 %1 中的输出比较。</translation>
    </message>
    <message>
        <source>The plan is the same as that in %1.</source>
        <translation>该方案与 %1 中的方案相同。</translation>
    </message>
    <message>
        <source>Plan written to %1.</source>
        <translation>方案已写入 %1。</translation>
    </message>
    <message>
        <source>Checking the cut</source>
        <translation>正在检查切分</translation>
    </message>
    <message>
        <source>Rewriting %1</source>
        <translation>正在重写 %1</translation>
    </message>
    <message>
        <source>The program is as it was traced: no rewrite applies.</source>
        <translation>程序保持追踪时的原样：没有适用的重写。</translation>
    </message>
    <message>
        <source>Take the program as it was traced</source>
        <translation>采用追踪时的原程序</translation>
    </message>
    <message>
        <source>Rewrite: %1</source>
        <translation>重写：%1</translation>
    </message>
    <message>
        <source>Rewrites: %1.</source>
        <translation>重写：%1。</translation>
    </message>
    <message>
        <source>Weighing rewrites of %1</source>
        <translation>正在权衡 %1 的重写</translation>
    </message>
    <message>
        <source>The best plan is predicted to take %1 instead of %2.</source>
        <translation>预计最优方案耗时 %1，原为 %2。</translation>
    </message>
    <message>
        <source>Not made: %1. It would take %2 more than it saves on this graph.</source>
        <translation>未采用：%1。在此图上它多花的时间比省下的多 %2。</translation>
    </message>
    <message>
        <source>Not made: %1. Its rows do not fit into memory.</source>
        <translation>未采用：%1。它的行放不进内存。</translation>
    </message>
    <message>
        <source>Running layer-wise</source>
        <translation>正在逐层运行</translation>
    </message>
    <message>
        <source>Layer-wise run finished in %1.</source>
        <translation>逐层运行已完成，用时 %1。</translation>
    </message>
    <message>
        <source>Verifying</source>
        <translation>正在验证</translation>
    </message>
    <message>
        <source>Verified: the cut model gives the same answers.</source>
        <translation>验证完成：切分后的模型给出相同的结果。</translation>
    </message>
    <message>
        <source>Verified: the cut model gives different answers.</source>
        <translation>验证完成：切分后的模型给出不同的结果。</translation>
    </message>
    <message>
        <source>Measuring the plan</source>
        <translation>正在测量方案</translation>
    </message>
    <message>
        <source>Profile graph written to %1.</source>
        <translation>性能图已写入 %1。</translation>
    </message>
    <message>
        <source>Measuring this machine</source>
        <translation>正在测量本机</translation>
    </message>
    <message>
        <source>Cancelled: %1.</source>
        <translation>已取消：%1。</translation>
    </message>
    <message>
        <source>Runs on this machine take about %1 beside the program itself: within less they will be refused.</source>
        <translation>在本机上运行除程序本身外约需 %1：少于此数将被拒绝。</translation>
    </message>
</context>
<context>
    <name>cleave::views::EmptyPage</name>
    <message>
        <source>&lt;div style=&apos;font-size:xx-large&apos;&gt;Drop a model here&lt;/div&gt;&lt;p&gt;or open one with &lt;b&gt;Ctrl+O&lt;/b&gt;: a file that &lt;code&gt;torch.export.save&lt;/code&gt; or &lt;code&gt;torch.jit.save&lt;/code&gt; wrote (.pt2, .pt).&lt;/p&gt;&lt;p&gt;Then open a graph (.npz, .csv, .mtx …) with &lt;b&gt;Ctrl+G&lt;/b&gt; to run the model on it.&lt;/p&gt;</source>
        <translation>&lt;div style=&apos;font-size:xx-large&apos;&gt;将模型拖放到此处&lt;/div&gt;&lt;p&gt;或按 &lt;b&gt;Ctrl+O&lt;/b&gt; 打开由 &lt;code&gt;torch.export.save&lt;/code&gt; 或 &lt;code&gt;torch.jit.save&lt;/code&gt; 写出的文件 (.pt2, .pt)。&lt;/p&gt;&lt;p&gt;然后按 &lt;b&gt;Ctrl+G&lt;/b&gt; 打开图 (.npz、.csv、.mtx 等)，在其上运行模型。&lt;/p&gt;</translation>
    </message>
    <message>
        <source>&lt;p&gt;Or look at &lt;a href=&apos;example&apos;&gt;the example&lt;/a&gt;: GraphSAGE on the papers of Cora.&lt;/p&gt;</source>
        <translation>&lt;p&gt;也可以看看&lt;a href=&apos;example&apos;&gt;示例&lt;/a&gt;：在 Cora 论文引用图上运行的 GraphSAGE。&lt;/p&gt;</translation>
    </message>
</context>
<context>
    <name>cleave::views::FindBar</name>
    <message>
        <source>Name of an operator, a tensor or a module</source>
        <translation>算子、张量或模块的名称</translation>
    </message>
    <message>
        <source>Find</source>
        <translation>查找</translation>
    </message>
    <message>
        <source>Previous</source>
        <translation>上一个</translation>
    </message>
    <message>
        <source>Next</source>
        <translation>下一个</translation>
    </message>
    <message>
        <source>Nothing found</source>
        <translation>未找到</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 / %2</translation>
    </message>
    <message>
        <source>What was found</source>
        <translation>找到的内容</translation>
    </message>
</context>
<context>
    <name>cleave::views::GraphPicture</name>
    <message>
        <source>Prologue</source>
        <translation>序段</translation>
    </message>
    <message>
        <source>× %1 more</source>
        <translation>重复 × %1</translation>
    </message>
    <message numerus="yes">
        <source>%n op(s)</source>
        <translation>
            <numerusform>%n 个算子</numerusform>
        </translation>
    </message>
    <message>
        <source>like %1</source>
        <translation>同 %1</translation>
    </message>
</context>
<context>
    <name>cleave::views::GraphScene</name>
    <message>
        <source>in %1</source>
        <comment>a module</comment>
        <translation>在 %1 中</translation>
    </message>
    <message>
        <source>Prologue</source>
        <translation>序段</translation>
    </message>
    <message>
        <source>Inputs</source>
        <translation>输入</translation>
    </message>
    <message>
        <source>Outputs</source>
        <translation>输出</translation>
    </message>
    <message>
        <source>once, on the whole graph</source>
        <translation>在全图上执行一次</translation>
    </message>
    <message>
        <source>message degrees %1 to %2</source>
        <translation>消息阶数 %1 到 %2</translation>
    </message>
    <message>
        <source>over all nodes at once</source>
        <translation>一次处理所有节点</translation>
    </message>
    <message>
        <source>message degree %1</source>
        <translation>消息阶数 %1</translation>
    </message>
    <message>
        <source>nodes: %1</source>
        <translation>节点：%1</translation>
    </message>
    <message>
        <source>on %1</source>
        <comment>a device</comment>
        <translation>在 %1 上</translation>
    </message>
    <message numerus="yes">
        <source>%n op(s)</source>
        <translation>
            <numerusform>%n 个算子</numerusform>
        </translation>
    </message>
    <message>
        <source>Cut %1</source>
        <translation>切口 %1</translation>
    </message>
    <message numerus="yes">
        <source>%n save point(s)</source>
        <translation>
            <numerusform>%n 个保存点</numerusform>
        </translation>
    </message>
    <message>
        <source>of %1 node types</source>
        <translation>来自 %1 种节点类型</translation>
    </message>
    <message>
        <source>%1 × %2</source>
        <translation>%1 × %2</translation>
    </message>
    <message>
        <source>%1 × V</source>
        <translation>%1 × V</translation>
    </message>
    <message>
        <source>%1 = %2</source>
        <translation>%1 = %2</translation>
    </message>
    <message>
        <source>No cut %1</source>
        <translation>无切口 %1</translation>
    </message>
    <message>
        <source>run together</source>
        <translation>合并运行</translation>
    </message>
    <message>
        <source>For all nodes</source>
        <translation>面向所有节点</translation>
    </message>
    <message>
        <source>output</source>
        <translation>输出</translation>
    </message>
    <message>
        <source>input</source>
        <translation>输入</translation>
    </message>
    <message>
        <source>save point</source>
        <translation>保存点</translation>
    </message>
    <message>
        <source>not saved in this plan</source>
        <translation>本方案不保存</translation>
    </message>
</context>
<context>
    <name>cleave::views::GraphView</name>
    <message>
        <source>Graph of the model</source>
        <translation>模型的图</translation>
    </message>
    <message>
        <source>Laying out</source>
        <translation>正在布局</translation>
    </message>
    <message numerus="yes">
        <source>%n band(s) are drawn more simply: Graphviz&apos;s dot is missing, failed, or took too long.</source>
        <translation>
            <numerusform>%n 个带以较简单的方式绘制：Graphviz 的 dot 缺失、运行失败或耗时过长。</numerusform>
        </translation>
    </message>
    <message>
        <source>Show every layer</source>
        <translation>显示每一层</translation>
    </message>
    <message>
        <source>Fold the %1 layers that repeat</source>
        <translation>折叠重复的 %1 层</translation>
    </message>
    <message>
        <source>Enter keeps it, Esc takes it back</source>
        <translation>回车键保留，Esc 撤回</translation>
    </message>
    <message>
        <source>Expand</source>
        <translation>展开</translation>
    </message>
    <message>
        <source>Copy name</source>
        <translation>复制名称</translation>
    </message>
    <message>
        <source>Show code</source>
        <translation>显示代码</translation>
    </message>
    <message>
        <source>Show in table</source>
        <translation>在表格中显示</translation>
    </message>
    <message>
        <source>Prologue</source>
        <translation>序段</translation>
    </message>
    <message>
        <source>Collapse %1</source>
        <translation>收起 %1</translation>
    </message>
</context>
<context>
    <name>cleave::views::HelpDialog</name>
    <message>
        <source>Words and keys</source>
        <translation>术语和按键</translation>
    </message>
    <message>
        <source>message passing</source>
        <translation>消息传递</translation>
    </message>
    <message>
        <source>Nodes gather rows of their neighbours along the edges and reduce them, by a sum or the like, to one row each.</source>
        <translation>节点沿边收集邻居的行，并用求和之类的方法把它们归约为每个节点一行。</translation>
    </message>
    <message>
        <source>message degree</source>
        <translation>消息阶数</translation>
    </message>
    <message>
        <source>How many steps of message passing lie between the input features and a tensor: its colour and number.</source>
        <translation>输入特征与张量之间有多少步消息传递：即它的颜色和数字。</translation>
    </message>
    <message>
        <source>V, E, M</source>
        <translation>V、E、M</translation>
    </message>
    <message>
        <source>What the rows of a tensor count: the graph&apos;s V nodes; the E nodes of all blocks, each as often as a block needs it; the M edges.</source>
        <translation>张量的行数的是什么：图的 V 个节点；所有块的 E 个节点，每个块需要一次就算一次；M 条边。</translation>
    </message>
    <message>
        <source>batch, block</source>
        <translation>批次、块</translation>
    </message>
    <message>
        <source>Target nodes that are computed together; these, the other nodes that they gather from, and the edges between them.</source>
        <translation>一起计算的目标节点；这些节点、它们从中收集的其他节点以及其间的边。</translation>
    </message>
    <message>
        <source>function</source>
        <translation>函数</translation>
    </message>
    <message>
        <source>What runs together for one batch: a band of the picture, between two cuts.</source>
        <translation>对一个批次一起运行的部分：图中两个切口之间的一条带。</translation>
    </message>
    <message>
        <source>cut, save point</source>
        <translation>切口、保存点</translation>
    </message>
    <message>
        <source>Where the model is divided; a tensor that crosses there: one function writes its rows for all nodes, a later one reads them.</source>
        <translation>模型被切分之处；穿过该处的张量：一个函数为全部节点写入它的行，后面的函数读取。</translation>
    </message>
    <message>
        <source>layer by layer</source>
        <translation>逐层</translation>
    </message>
    <message>
        <source>Each function runs on all nodes before the next one begins. Nothing is computed twice, and only save points stay.</source>
        <translation>每个函数在全部节点上运行完，下一个才开始。没有重复计算，只留下保存点。</translation>
    </message>
    <message>
        <source>node-wise</source>
        <translation>逐节点</translation>
    </message>
    <message>
        <source>The whole model runs for each batch, on a block of as many steps as it has layers: neighbours are computed again and again.</source>
        <translation>对每个批次运行整个模型，块的步数等于层数：邻居被反复计算。</translation>
    </message>
    <message>
        <source>prologue</source>
        <translation>序段</translation>
    </message>
    <message>
        <source>What depends on the graph alone, such as degrees: computed once, for the whole graph.</source>
        <translation>只依赖于图的部分，例如度：对整个图只计算一次。</translation>
    </message>
    <message>
        <source>structure</source>
        <translation>结构</translation>
    </message>
    <message>
        <source>Indices, edge weights and whatever else the prologue makes; a box that reads some names it below its title.</source>
        <translation>索引、边权以及序段得出的其他东西；读取它们的框在标题下写出其名。</translation>
    </message>
    <message>
        <source>global op</source>
        <translation>全局算子</translation>
    </message>
    <message>
        <source>What needs all nodes at once, such as a mean over them: it runs between functions.</source>
        <translation>同时需要全部节点的部分，例如对它们求平均：在函数之间运行。</translation>
    </message>
    <message>
        <source>Arrows</source>
        <translation>方向键</translation>
    </message>
    <message>
        <source>select the next box in that direction</source>
        <translation>选择该方向的下一个框</translation>
    </message>
    <message>
        <source>Tab, Shift+Tab</source>
        <translation>Tab、Shift+Tab</translation>
    </message>
    <message>
        <source>select the next cut, or the next box once one is selected</source>
        <translation>选择下一个切口；已选中框时选择下一个框</translation>
    </message>
    <message>
        <source>C</source>
        <translation>C</translation>
    </message>
    <message>
        <source>selects the next cut</source>
        <translation>选择下一个切口</translation>
    </message>
    <message>
        <source>Up, Down on a cut</source>
        <translation>切口上的上、下键</translation>
    </message>
    <message>
        <source>move it; Enter keeps what is shown, Esc gives it up</source>
        <translation>移动它；Enter 保留所示，Esc 放弃</translation>
    </message>
    <message>
        <source>+ or Enter, −</source>
        <translation>+ 或 Enter、−</translation>
    </message>
    <message>
        <source>open and close a module</source>
        <translation>展开和折叠模块</translation>
    </message>
    <message>
        <source>Ctrl+wheel</source>
        <translation>Ctrl+滚轮</translation>
    </message>
    <message>
        <source>zooms</source>
        <translation>缩放</translation>
    </message>
    <message>
        <source>F or Home</source>
        <translation>F 或 Home</translation>
    </message>
    <message>
        <source>shows the whole picture</source>
        <translation>显示整幅图</translation>
    </message>
    <message>
        <source>Shift+F10</source>
        <translation>Shift+F10</translation>
    </message>
    <message>
        <source>what can be done with what is selected</source>
        <translation>对所选内容可做的操作</translation>
    </message>
    <message>
        <source>F6</source>
        <translation>F6</translation>
    </message>
    <message>
        <source>into the picture, and out of it past all boxes and cuts</source>
        <translation>进入图；在图中则越过所有框和切口离开</translation>
    </message>
    <message>
        <source>Esc</source>
        <translation>Esc</translation>
    </message>
    <message>
        <source>gives up a drag, or selects nothing</source>
        <translation>放弃拖动，或取消选择</translation>
    </message>
    <message>
        <source>Words</source>
        <translation>术语</translation>
    </message>
    <message>
        <source>Keys in the picture</source>
        <translation>图中的按键</translation>
    </message>
    <message>
        <source>Keys of the menus</source>
        <translation>菜单的按键</translation>
    </message>
</context>
<context>
    <name>cleave::views::Inspection</name>
    <message>
        <source>constant</source>
        <translation>常量</translation>
    </message>
    <message>
        <source>graph structure</source>
        <translation>图结构</translation>
    </message>
    <message>
        <source>node rows (V)</source>
        <translation>节点行（V）</translation>
    </message>
    <message>
        <source>node rows (%1)</source>
        <translation>节点行（%1）</translation>
    </message>
    <message>
        <source>edge rows (M)</source>
        <translation>边行（M）</translation>
    </message>
    <message>
        <source>once for the graph (G)</source>
        <translation>整图一份（G）</translation>
    </message>
    <message>
        <source>no rows</source>
        <translation>无行</translation>
    </message>
    <message>
        <source>constant, computed when opened</source>
        <translation>常量，打开时计算</translation>
    </message>
    <message>
        <source>once on the whole graph</source>
        <translation>在全图上执行一次</translation>
    </message>
    <message>
        <source>row by row, found by running it</source>
        <translation>逐行，经试运行得知</translation>
    </message>
    <message>
        <source>row by row</source>
        <translation>逐行</translation>
    </message>
    <message>
        <source>gather from neighbours</source>
        <translation>从邻居收集</translation>
    </message>
    <message>
        <source>gather at the target</source>
        <translation>在目标节点处收集</translation>
    </message>
    <message>
        <source>scatter into node rows</source>
        <translation>散布到节点行</translation>
    </message>
    <message>
        <source>rows after each other</source>
        <translation>按行拼接</translation>
    </message>
    <message>
        <source>over all nodes at once, between functions</source>
        <translation>在函数之间，一次处理所有节点</translation>
    </message>
    <message>
        <source>the prologue</source>
        <translation>序段</translation>
    </message>
    <message>
        <source>Operator in %1</source>
        <translation>算子，位于%1</translation>
    </message>
    <message>
        <source>Operator</source>
        <translation>算子</translation>
    </message>
    <message>
        <source>target</source>
        <translation>调用目标</translation>
    </message>
    <message>
        <source>works</source>
        <translation>工作方式</translation>
    </message>
    <message>
        <source>message degree</source>
        <translation>消息阶数</translation>
    </message>
    <message>
        <source>index</source>
        <translation>索引</translation>
    </message>
    <message>
        <source>Module</source>
        <translation>模块</translation>
    </message>
    <message>
        <source>path</source>
        <translation>路径</translation>
    </message>
    <message>
        <source>the model itself</source>
        <translation>模型本身</translation>
    </message>
    <message>
        <source>class</source>
        <translation>类</translation>
    </message>
    <message>
        <source>Source</source>
        <translation>源代码</translation>
    </message>
    <message>
        <source>line</source>
        <translation>所在行</translation>
    </message>
    <message>
        <source>code</source>
        <translation>代码</translation>
    </message>
    <message>
        <source>Arguments</source>
        <translation>调用参数</translation>
    </message>
    <message>
        <source>%1: %2</source>
        <translation>%1：%2</translation>
    </message>
    <message>
        <source>Gives</source>
        <translation>输出</translation>
    </message>
    <message>
        <source>%1, %2</source>
        <translation>%1，%2</translation>
    </message>
    <message>
        <source>rows · entries of a row · bytes of an entry, for the whole graph</source>
        <translation>行数 · 每行元素数 · 每个元素的字节数，按全图计</translation>
    </message>
    <message>
        <source>Cost in this plan</source>
        <translation>在此方案中的代价</translation>
    </message>
    <message>
        <source>time</source>
        <translation>时间</translation>
    </message>
    <message>
        <source>Predicted; what message passing does on edges counts for its scatter</source>
        <translation>预测值；消息传递在边上的工作计入其散布算子</translation>
    </message>
    <message>
        <source>memory moved</source>
        <translation>内存读写量</translation>
    </message>
    <message>
        <source>arithmetic</source>
        <translation>运算量</translation>
    </message>
    <message>
        <source>%1 operations</source>
        <translation>%1 次运算</translation>
    </message>
    <message>
        <source>Module in %1</source>
        <translation>模块，位于%1</translation>
    </message>
    <message>
        <source>Here</source>
        <translation>此处</translation>
    </message>
    <message>
        <source>none</source>
        <translation>无</translation>
    </message>
    <message>
        <source>operators</source>
        <translation>算子数</translation>
    </message>
    <message>
        <source>× %1 more</source>
        <translation>重复 × %1</translation>
    </message>
    <message>
        <source>Operators</source>
        <translation>算子</translation>
    </message>
    <message>
        <source>…</source>
        <translation>…</translation>
    </message>
    <message>
        <source>%1 more</source>
        <translation>另有 %1 个</translation>
    </message>
    <message>
        <source>Prologue</source>
        <translation>序段</translation>
    </message>
    <message>
        <source>Computed once, on the whole graph</source>
        <translation>在全图上计算一次</translation>
    </message>
    <message>
        <source>Read by functions</source>
        <translation>供函数读取</translation>
    </message>
    <message>
        <source>Input of the model</source>
        <translation>模型输入</translation>
    </message>
    <message>
        <source>Output of the model</source>
        <translation>模型输出</translation>
    </message>
    <message>
        <source>Save point</source>
        <translation>保存点</translation>
    </message>
    <message>
        <source>Tensor</source>
        <translation>张量</translation>
    </message>
    <message>
        <source>type</source>
        <translation>数据类型</translation>
    </message>
    <message>
        <source>shape</source>
        <translation>形状</translation>
    </message>
    <message>
        <source>rows</source>
        <translation>行</translation>
    </message>
    <message>
        <source>bytes per row</source>
        <translation>每行字节数</translation>
    </message>
    <message>
        <source>bytes</source>
        <translation>字节数</translation>
    </message>
    <message>
        <source>Use</source>
        <translation>使用情况</translation>
    </message>
    <message>
        <source>written by</source>
        <translation>写入方</translation>
    </message>
    <message>
        <source>the caller</source>
        <translation>调用方</translation>
    </message>
    <message>
        <source>read by</source>
        <translation>读取方</translation>
    </message>
    <message>
        <source>written</source>
        <translation>写入</translation>
    </message>
    <message>
        <source>%1 in %2</source>
        <translation>%1，用时 %2</translation>
    </message>
    <message>
        <source>%1, handed on without a copy</source>
        <translation>%1，直接传递，不复制</translation>
    </message>
    <message>
        <source>read by %1</source>
        <translation>读取（%1）</translation>
    </message>
    <message>
        <source>%1, in %2</source>
        <translation>%1，用时 %2</translation>
    </message>
    <message>
        <source>%1 = %2 rows</source>
        <translation>%1 = %2 行</translation>
    </message>
    <message>
        <source>%1 B</source>
        <translation>%1 B</translation>
    </message>
    <message>
        <source>%1 = %2</source>
        <translation>%1 = %2</translation>
    </message>
    <message>
        <source>number</source>
        <translation>数值</translation>
    </message>
    <message>
        <source>operators of each repetition</source>
        <translation>每次重复的算子</translation>
    </message>
    <message>
        <source>Cut %1</source>
        <translation>切口 %1</translation>
    </message>
    <message>
        <source>Between functions %1 and %2</source>
        <translation>函数 %1 与函数 %2 之间</translation>
    </message>
    <message>
        <source>In the store</source>
        <translation>存储区中</translation>
    </message>
    <message>
        <source>input, %1</source>
        <translation>输入，%1</translation>
    </message>
    <message>
        <source>nothing</source>
        <translation>无</translation>
    </message>
    <message>
        <source>%1, like %2</source>
        <translation>%1，同 %2</translation>
    </message>
    <message>
        <source>Operator, moved: %1</source>
        <translation>算子，已移动：%1</translation>
    </message>
    <message>
        <source>Module in %1, of which %2 of %3 operators have moved</source>
        <translation>模块，位于%1，其中 %3 个算子中有 %2 个已移动</translation>
    </message>
    <message>
        <source>Tensor that this plan does not save</source>
        <translation>此方案不保存的张量</translation>
    </message>
    <message>
        <source>computed by</source>
        <translation>计算于</translation>
    </message>
    <message>
        <source>counts for the scatter that its edges go into</source>
        <translation>计入其边所汇入的 scatter</translation>
    </message>
    <message>
        <source>none of its own</source>
        <translation>不另占时间</translation>
    </message>
    <message>
        <source>Predicted, for writing and reading these tensors; rows that operators read where they lie count there</source>
        <translation>预测值：写入和读取这些张量的时间；算子就地读取的行算在算子的时间里</translation>
    </message>
    <message>
        <source>%1, and what operators take that read rows where they lie</source>
        <translation>%1，另加算子就地读取行所用的时间</translation>
    </message>
    <message>
        <source>called at</source>
        <translation>调用处</translation>
    </message>
</context>
<context>
    <name>cleave::views::Inspector</name>
    <message>
        <source>Properties of the selection</source>
        <translation>所选项的属性</translation>
    </message>
    <message>
        <source>Nothing selected</source>
        <translation>未选中任何项</translation>
    </message>
    <message>
        <source>Click a box or the line of a cut; in the graph, arrow keys select a box and Tab a cut.</source>
        <translation>单击一个方框或切口的线；在图中，方向键选中方框，Tab 键选中切口。</translation>
    </message>
</context>
<context>
    <name>cleave::views::Job</name>
    <message>
        <source>There is not enough memory for this; use a smaller batch size or close other programs.</source>
        <translation>内存不足，无法完成此操作；请减小批大小，或关闭其他程序。</translation>
    </message>
</context>
<context>
    <name>cleave::views::Legend</name>
    <message>
        <source>Legend</source>
        <translation>图例</translation>
    </message>
    <message>
        <source>Colours show the message degree, outlines what rows a box works on: V nodes round and blue, M edges dotted, G what is there once for the graph dashed.</source>
        <translation>颜色表示消息阶数，轮廓表示方框处理的行：V 为节点，圆角、蓝色；M 为边，点线；G 为全图只有一份的内容，虚线。</translation>
    </message>
    <message>
        <source>Message degree</source>
        <translation>消息阶数</translation>
    </message>
    <message>
        <source>V: node rows</source>
        <translation>V：节点行</translation>
    </message>
    <message>
        <source>M: edge rows</source>
        <translation>M：边行</translation>
    </message>
    <message>
        <source>G: once for the graph</source>
        <translation>G：全图一份</translation>
    </message>
    <message>
        <source>both</source>
        <translation>两者皆有</translation>
    </message>
    <message>
        <source>structure</source>
        <translation>结构</translation>
    </message>
    <message>
        <source>reads structure</source>
        <translation>读取结构</translation>
    </message>
    <message>
        <source>cut</source>
        <translation>切口</translation>
    </message>
    <message>
        <source>Stage</source>
        <translation>阶段</translation>
    </message>
    <message>
        <source>from further above</source>
        <translation>来自更上方</translation>
    </message>
    <message>
        <source>moved by the plan</source>
        <translation>已被方案移动</translation>
    </message>
    <message>
        <source>moved by %1</source>
        <translation>已被 %1 移动</translation>
    </message>
</context>
<context>
    <name>cleave::views::MainWindow</name>
    <message>
        <source>Not opened again, since it is not there any more: %1.</source>
        <translation>未能重新打开，因为文件已不存在：%1。</translation>
    </message>
    <message>
        <source>&amp;Help</source>
        <translation>帮助(&amp;H)</translation>
    </message>
    <message>
        <source>&amp;Why layer-wise inference works</source>
        <translation>逐层推理为何可行(&amp;W)</translation>
    </message>
    <message>
        <source>F2</source>
        <translation>F2</translation>
    </message>
    <message>
        <source>&amp;About Cleave</source>
        <translation>关于 Cleave(&amp;A)</translation>
    </message>
    <message>
        <source>Model and graph</source>
        <translation>模型和图</translation>
    </message>
    <message>
        <source>Inspector</source>
        <translation>检查器</translation>
    </message>
    <message>
        <source>Plan</source>
        <translation>方案</translation>
    </message>
    <message>
        <source>Cut at message degree</source>
        <translation>按消息阶数切分</translation>
    </message>
    <message>
        <source>History of the plan</source>
        <translation>方案的历史</translation>
    </message>
    <message>
        <source>History</source>
        <translation>历史</translation>
    </message>
    <message>
        <source>Results</source>
        <translation>结果</translation>
    </message>
    <message>
        <source>Story</source>
        <translation>讲解</translation>
    </message>
    <message>
        <source>Code</source>
        <translation>代码</translation>
    </message>
    <message>
        <source>&amp;File</source>
        <translation>文件(&amp;F)</translation>
    </message>
    <message>
        <source>Open &amp;model…</source>
        <translation>打开模型(&amp;M)…</translation>
    </message>
    <message>
        <source>Open model</source>
        <translation>打开模型</translation>
    </message>
    <message>
        <source>Open &amp;graph…</source>
        <translation>打开图(&amp;G)…</translation>
    </message>
    <message>
        <source>Ctrl+G</source>
        <translation>Ctrl+G</translation>
    </message>
    <message>
        <source>Open graph</source>
        <translation>打开图</translation>
    </message>
    <message>
        <source>Graphs (*.npz *.csv *.tsv *.txt *.mtx *.graphml *.dot *.gv *.gz);;All files (*)</source>
        <translation>图 (*.npz *.csv *.tsv *.txt *.mtx *.graphml *.dot *.gv *.gz);;所有文件 (*)</translation>
    </message>
    <message>
        <source>Open Zachary&apos;s &amp;karate club</source>
        <translation>打开 Zachary 空手道俱乐部(&amp;K)</translation>
    </message>
    <message>
        <source>Open &amp;recent</source>
        <translation>打开最近的文件(&amp;R)</translation>
    </message>
    <message>
        <source>Open expected &amp;outputs…</source>
        <translation>打开期望输出(&amp;O)…</translation>
    </message>
    <message>
        <source>Close expected outputs</source>
        <translation>关闭预期输出</translation>
    </message>
    <message>
        <source>Open expected outputs</source>
        <translation>打开期望输出</translation>
    </message>
    <message>
        <source>Open &amp;plan…</source>
        <translation>打开方案(&amp;P)…</translation>
    </message>
    <message>
        <source>Open plan</source>
        <translation>打开方案</translation>
    </message>
    <message>
        <source>Plans (*.cleave.json);;All files (*)</source>
        <translation>方案 (*.cleave.json);;所有文件 (*)</translation>
    </message>
    <message>
        <source>&amp;Export…</source>
        <translation>导出(&amp;E)…</translation>
    </message>
    <message>
        <source>Export plan as P&amp;ython…</source>
        <translation>将方案导出为 Python(&amp;Y)…</translation>
    </message>
    <message>
        <source>Se&amp;ttings…</source>
        <translation>设置(&amp;T)…</translation>
    </message>
    <message>
        <source>Ctrl+,</source>
        <translation>Ctrl+,</translation>
    </message>
    <message>
        <source>&amp;Quit</source>
        <translation>退出(&amp;Q)</translation>
    </message>
    <message>
        <source>&amp;Plan</source>
        <translation>方案(&amp;P)</translation>
    </message>
    <message>
        <source>&amp;Undo</source>
        <translation>撤销(&amp;U)</translation>
    </message>
    <message>
        <source>&amp;Redo</source>
        <translation>重做(&amp;R)</translation>
    </message>
    <message>
        <source>Ctrl+Shift+Z</source>
        <translation>Ctrl+Shift+Z</translation>
    </message>
    <message>
        <source>Ctrl+Y</source>
        <translation>Ctrl+Y</translation>
    </message>
    <message>
        <source>&amp;Compare with a plan…</source>
        <translation>与其他方案比较(&amp;C)…</translation>
    </message>
    <message>
        <source>Compare with a plan</source>
        <translation>与其他方案比较</translation>
    </message>
    <message>
        <source>&amp;End the comparison</source>
        <translation>结束比较(&amp;E)</translation>
    </message>
    <message>
        <source>&amp;Run</source>
        <translation>运行(&amp;R)</translation>
    </message>
    <message>
        <source>Run &amp;layer-wise</source>
        <translation>逐层运行(&amp;L)</translation>
    </message>
    <message>
        <source>Ctrl+R</source>
        <translation>Ctrl+R</translation>
    </message>
    <message>
        <source>&amp;Verify</source>
        <translation>验证(&amp;V)</translation>
    </message>
    <message>
        <source>Ctrl+Shift+R</source>
        <translation>Ctrl+Shift+R</translation>
    </message>
    <message>
        <source>Random &amp;features where the graph has none</source>
        <translation>图中没有的特征用随机数代替(&amp;F)</translation>
    </message>
    <message>
        <source>Re&amp;writes</source>
        <translation>重写(&amp;W)</translation>
    </message>
    <message>
        <source>&amp;Cancel</source>
        <translation>取消(&amp;C)</translation>
    </message>
    <message>
        <source>Ctrl+.</source>
        <translation>Ctrl+.</translation>
    </message>
    <message>
        <source>&amp;View</source>
        <translation>视图(&amp;V)</translation>
    </message>
    <message>
        <source>&amp;Fit</source>
        <translation>适应窗口(&amp;F)</translation>
    </message>
    <message>
        <source>F</source>
        <translation>F</translation>
    </message>
    <message>
        <source>Zoom &amp;in</source>
        <translation>放大(&amp;I)</translation>
    </message>
    <message>
        <source>Zoom &amp;out</source>
        <translation>缩小(&amp;O)</translation>
    </message>
    <message>
        <source>&amp;100 %</source>
        <translation>100%(&amp;1)</translation>
    </message>
    <message>
        <source>Ctrl+1</source>
        <translation>Ctrl+1</translation>
    </message>
    <message>
        <source>&amp;Expand all</source>
        <translation>全部展开(&amp;E)</translation>
    </message>
    <message>
        <source>Ctrl+Shift+E</source>
        <translation>Ctrl+Shift+E</translation>
    </message>
    <message>
        <source>&amp;Collapse all</source>
        <translation>全部收起(&amp;C)</translation>
    </message>
    <message>
        <source>Ctrl+Shift+A</source>
        <translation>Ctrl+Shift+A</translation>
    </message>
    <message>
        <source>Ctrl+Shift+C</source>
        <translation>Ctrl+Shift+C</translation>
    </message>
    <message>
        <source>Fold &amp;repeated layers</source>
        <translation>折叠重复层(&amp;R)</translation>
    </message>
    <message>
        <source>S&amp;tructure arrows</source>
        <translation>结构箭头(&amp;T)</translation>
    </message>
    <message>
        <source>&amp;Larger text</source>
        <translation>增大文字(&amp;L)</translation>
    </message>
    <message>
        <source>&amp;Smaller text</source>
        <translation>减小文字(&amp;S)</translation>
    </message>
    <message>
        <source>&amp;Presenter view</source>
        <translation>演讲视图(&amp;P)</translation>
    </message>
    <message>
        <source>F11</source>
        <translation>F11</translation>
    </message>
    <message>
        <source>Tools</source>
        <translation>工具</translation>
    </message>
    <message>
        <source>--rewrite %1 on the command line</source>
        <translation>在命令行中为 --rewrite %1</translation>
    </message>
    <message>
        <source>&amp;All</source>
        <translation>全部(&amp;A)</translation>
    </message>
    <message>
        <source>Those that &amp;pay on the graph</source>
        <translation>在此图上划算的(&amp;P)</translation>
    </message>
    <message>
        <source>&amp;None: the program as it was traced</source>
        <translation>不重写：保持追踪所得的程序(&amp;N)</translation>
    </message>
    <message>
        <source>Progress</source>
        <translation>进度</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Export</source>
        <translation>导出</translation>
    </message>
    <message>
        <source>Written: %1.</source>
        <translation>已写入 %1。</translation>
    </message>
    <message>
        <source>Folder for the Python package</source>
        <translation>选择 Python 包的文件夹</translation>
    </message>
    <message>
        <source>Python package written to %1.</source>
        <translation>Python 包已写入 %1。</translation>
    </message>
    <message>
        <source>Save plan</source>
        <translation>保存方案</translation>
    </message>
    <message>
        <source>Plans (*.cleave.json)</source>
        <translation>方案 (*.cleave.json)</translation>
    </message>
    <message>
        <source>Plan not saved</source>
        <translation>方案未保存</translation>
    </message>
    <message>
        <source>The plan of %1 was changed and is not saved.</source>
        <translation>%1 的方案已更改，尚未保存。</translation>
    </message>
    <message>
        <source>The plan of %1, changed %2, was not saved.</source>
        <translation>%1 的方案（更改于 %2）未保存。</translation>
    </message>
    <message>
        <source>R&amp;estore</source>
        <translation>恢复(&amp;E)</translation>
    </message>
    <message>
        <source>&amp;Discard</source>
        <translation>丢弃(&amp;D)</translation>
    </message>
    <message>
        <source>None yet</source>
        <translation>暂无</translation>
    </message>
    <message>
        <source>About Cleave</source>
        <translation>关于 Cleave</translation>
    </message>
    <message>
        <source>&lt;b&gt;Cleave %1&lt;/b&gt;&lt;p&gt;Visual splitting of graph neural networks.&lt;/p&gt;&lt;p&gt;LibTorch %2, Qt %3, Graphviz %4&lt;/p&gt;&lt;p&gt;MIT licence.&lt;/p&gt;</source>
        <translation>&lt;b&gt;Cleave %1&lt;/b&gt;&lt;p&gt;图神经网络的可视化切分工具。&lt;/p&gt;&lt;p&gt;LibTorch %2，Qt %3，Graphviz %4&lt;/p&gt;&lt;p&gt;MIT 许可证。&lt;/p&gt;</translation>
    </message>
    <message>
        <source>missing</source>
        <translation>缺失</translation>
    </message>
    <message>
        <source>Laying out</source>
        <translation>正在布局</translation>
    </message>
    <message>
        <source>Cleave</source>
        <translation>Cleave</translation>
    </message>
    <message>
        <source>%1[*] – Cleave</source>
        <translation>%1[*] – Cleave</translation>
    </message>
    <message>
        <source>Tables</source>
        <translation>表格</translation>
    </message>
    <message>
        <source>Take %1 as %2</source>
        <translation>将 %1 视为%2</translation>
    </message>
    <message>
        <source>Pr&amp;int…</source>
        <translation>打印(&amp;I)…</translation>
    </message>
    <message>
        <source>Fi&amp;nd…</source>
        <translation>查找(&amp;N)…</translation>
    </message>
    <message>
        <source>Models (*.pt2 *.pt);;PipeDream profile graphs (*.txt);;All files (*)</source>
        <translation>模型 (*.pt2 *.pt);;PipeDream 性能图 (*.txt);;所有文件 (*)</translation>
    </message>
    <message>
        <source>Take this width of %1</source>
        <translation>将此宽度用于 %1</translation>
    </message>
    <message>
        <source>Open the e&amp;xample</source>
        <translation>打开示例(&amp;X)</translation>
    </message>
    <message>
        <source>&amp;Measure this machine</source>
        <translation>测量本机(&amp;M)</translation>
    </message>
    <message>
        <source>Take random features</source>
        <translation>采用随机特征</translation>
    </message>
    <message>
        <source>No model is open</source>
        <translation>没有打开的模型</translation>
    </message>
    <message>
        <source>&amp;Save plan</source>
        <translation>保存方案(&amp;S)</translation>
    </message>
    <message>
        <source>Save plan &amp;as…</source>
        <translation>方案另存为(&amp;A)…</translation>
    </message>
    <message>
        <source>Ctrl+Shift+S</source>
        <translation>Ctrl+Shift+S</translation>
    </message>
    <message numerus="yes">
        <source>%n more under Results.</source>
        <translation>
            <numerusform>“结果”中另有 %n 条。</numerusform>
        </translation>
    </message>
    <message>
        <source>%1 – %2[*] – Cleave</source>
        <translation>%1 – %2[*] – Cleave</translation>
    </message>
    <message>
        <source>Plan written to %1.</source>
        <translation>方案已写入 %1。</translation>
    </message>
    <message>
        <source>Undone: %1</source>
        <translation>已撤销：%1</translation>
    </message>
    <message>
        <source>none</source>
        <translation>无</translation>
    </message>
    <message>
        <source>%1 is a plan of the program after other rewrites (%2) than those of the open one (%3).</source>
        <translation>%1 是程序经过另一些重写（%2）之后的方案，而当前打开的程序的重写是：%3。</translation>
    </message>
    <message>
        <source>Rewrite the program so, and compare</source>
        <translation>这样重写程序并比较</translation>
    </message>
    <message>
        <source>“%1”</source>
        <translation>“%1”</translation>
    </message>
    <message>
        <source>Words and &amp;keys</source>
        <translation>术语和按键(&amp;K)</translation>
    </message>
    <message>
        <source>Ctrl+]</source>
        <translation>Ctrl+]</translation>
    </message>
    <message>
        <source>Ctrl+[</source>
        <translation>Ctrl+[</translation>
    </message>
    <message>
        <source>&amp;Take the plan of</source>
        <translation>采用方案(&amp;T)</translation>
    </message>
    <message>
        <source>Open graph &amp;folder…</source>
        <translation>打开图文件夹(&amp;F)…</translation>
    </message>
    <message>
        <source>A folder of .npy arrays, or a dataset as OGB keeps it</source>
        <translation>一个 .npy 数组文件夹，或按 OGB 方式保存的数据集</translation>
    </message>
    <message>
        <source>Open graph folder</source>
        <translation>打开图文件夹</translation>
    </message>
    <message>
        <source>%1 was not opened.</source>
        <translation>未打开 %1。</translation>
    </message>
    <message>
        <source>Pictures (*.svg *.pdf *.png);;Graphviz (*.dot);;Report (*.html);;Table of costs (*.csv);;Outputs of the last run (*.npz *.npy);;PipeDream profile graph, measured on the graph (*.txt)</source>
        <translation>图片 (*.svg *.pdf *.png);;Graphviz (*.dot);;报告 (*.html);;代价表 (*.csv);;上次运行的输出 (*.npz *.npy);;在图上测量的 PipeDream 性能图 (*.txt)</translation>
    </message>
    <message>
        <source>Arrays (*.npz *.npy);;All files (*)</source>
        <translation>数组 (*.npz *.npy);;所有文件 (*)</translation>
    </message>
    <message>
        <source>Outputs recorded elsewhere: arrays named expected, or expected_0, expected_1, …; or one alone as .npy</source>
        <translation>在别处记录的输出：名为 expected 的数组，或名为 expected_0、expected_1、… 的数组；也可以是单独一个 .npy</translation>
    </message>
    <message>
        <source>Find &amp;next</source>
        <translation>查找下一个(&amp;N)</translation>
    </message>
    <message>
        <source>Find pre&amp;vious</source>
        <translation>查找上一个(&amp;V)</translation>
    </message>
    <message>
        <source>%1 in %2</source>
        <translation>%2 中的 %1</translation>
    </message>
    <message>
        <source>Re&amp;load</source>
        <translation>重新读取(&amp;L)</translation>
    </message>
    <message>
        <source>Reads the model and the graph once more from their files</source>
        <translation>从文件重新读取模型和图</translation>
    </message>
</context>
<context>
    <name>cleave::views::MessageBar</name>
    <message>
        <source>Dismiss</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>Dismiss the message</source>
        <translation>关闭消息</translation>
    </message>
    <message>
        <source>Message</source>
        <translation>消息</translation>
    </message>
</context>
<context>
    <name>cleave::views::ModelPanel</name>
    <message>
        <source>Absolute tolerance</source>
        <translation>绝对容差</translation>
    </message>
    <message>
        <source>Equal: |a − b| ≤ absolute + relative · |b|</source>
        <translation>相同：|a − b| ≤ 绝对容差 + 相对容差 · |b|</translation>
    </message>
    <message>
        <source>Relative tolerance</source>
        <translation>相对容差</translation>
    </message>
    <message>
        <source>Run layer-wise</source>
        <translation>逐层运行</translation>
    </message>
    <message>
        <source>Verify</source>
        <translation>验证</translation>
    </message>
    <message>
        <source>Model and graph</source>
        <translation>模型和图</translation>
    </message>
    <message>
        <source>Automatic</source>
        <translation>自动</translation>
    </message>
    <message>
        <source>Batch size</source>
        <translation>批大小</translation>
    </message>
    <message>
        <source>Target nodes of one batch; 0 lets Cleave choose</source>
        <translation>一个批次的目标节点数；设为 0 则由 Cleave 选择</translation>
    </message>
    <message>
        <source>Node order</source>
        <translation>节点顺序</translation>
    </message>
    <message>
        <source>The order in which batches take the nodes: neighbours near each other make smaller blocks</source>
        <translation>各批次选取节点的顺序：邻居排得越近，块越小</translation>
    </message>
    <message>
        <source>Run the cut model function by function over one-hop blocks</source>
        <translation>在一跳块上逐个函数运行切分后的模型</translation>
    </message>
    <message>
        <source>Run the whole model and the cut one and compare their answers</source>
        <translation>分别运行整个模型和切分后的模型，并比较结果</translation>
    </message>
    <message>
        <source>&amp;Batch size</source>
        <translation>批大小(&amp;B)</translation>
    </message>
    <message>
        <source>&amp;Order</source>
        <translation>顺序(&amp;O)</translation>
    </message>
    <message>
        <source>Tolerance</source>
        <translation>容差</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>none loaded</source>
        <translation>未加载</translation>
    </message>
    <message>
        <source>Graph</source>
        <translation>图</translation>
    </message>
    <message>
        <source>Expected outputs</source>
        <translation>期望输出</translation>
    </message>
    <message>
        <source>file</source>
        <translation>文件</translation>
    </message>
    <message>
        <source>Most resident memory that a run layer by layer may take beyond what there is before it; what does not fit lies in files</source>
        <translation>逐层运行在运行前的基础上最多可占用的常驻内存；放不下的数据存于文件中</translation>
    </message>
    <message>
        <source> MB</source>
        <translation> MB</translation>
    </message>
    <message>
        <source>No bound</source>
        <translation>不限</translation>
    </message>
    <message>
        <source>Memory of a run</source>
        <translation>运行的内存</translation>
    </message>
    <message>
        <source>Memor&amp;y</source>
        <translation>内存(&amp;Y)</translation>
    </message>
    <message>
        <source>A number from 0 to 1, such as 0.001 or 1e-5</source>
        <translation>0 到 1 之间的数，例如 0.001 或 1e-5</translation>
    </message>
</context>
<context>
    <name>cleave::views::PlanCosts</name>
    <message>
        <source>Counting rows of blocks</source>
        <translation>正在统计块行数</translation>
    </message>
    <message>
        <source>Planning</source>
        <translation>正在规划</translation>
    </message>
    <message>
        <source>Comparing batch sizes</source>
        <translation>正在比较批大小</translation>
    </message>
    <message>
        <source>Message degree</source>
        <translation>消息阶数</translation>
    </message>
    <message>
        <source>Greedy</source>
        <translation>贪心</translation>
    </message>
    <message>
        <source>Optimal</source>
        <translation>最优</translation>
    </message>
    <message>
        <source>Full graph</source>
        <translation>全图</translation>
    </message>
    <message>
        <source>Node-wise</source>
        <translation>逐节点</translation>
    </message>
    <message>
        <source>Counting rows for “%1”</source>
        <translation>正在为“%1”统计行数</translation>
    </message>
</context>
<context>
    <name>cleave::views::PlanDrag</name>
    <message>
        <source>✗ %1</source>
        <translation>✗ %1</translation>
    </message>
    <message numerus="yes">
        <source>, with %n other op(s)</source>
        <translation>
            <numerusform>，连带另外 %n 个算子</numerusform>
        </translation>
    </message>
    <message>
        <source>Cut %1 saves %2</source>
        <translation>切口 %1 保存：%2</translation>
    </message>
    <message>
        <source>nothing</source>
        <translation>无</translation>
    </message>
    <message>
        <source>
%1 → %2 (%3)
%4 → %5 (%6) read and written</source>
        <translation>
%1 → %2（%3）
读写 %4 → %5（%6）</translation>
    </message>
</context>
<context>
    <name>cleave::views::PlanEditor</name>
    <message>
        <source>Run all functions on %1</source>
        <translation>在 %1 上运行所有函数</translation>
    </message>
    <message>
        <source>Run function %1 on the CPU</source>
        <translation>在 CPU 上运行函数 %1</translation>
    </message>
    <message>
        <source>Run functions on %1 where that is faster</source>
        <translation>把更快的函数放到 %1 上运行</translation>
    </message>
    <message>
        <source>Run function %1 on %2</source>
        <translation>在 %2 上运行函数 %1</translation>
    </message>
    <message>
        <source>Run all functions on the CPU</source>
        <translation>在 CPU 上运行所有函数</translation>
    </message>
    <message>
        <source>Open the plan %1</source>
        <translation>打开方案 %1</translation>
    </message>
    <message>
        <source>%1: %2 here, %3 in %4.</source>
        <translation>%1：此处在%2，%4 中在%3。</translation>
    </message>
    <message>
        <source>Move %1 %2</source>
        <translation>将 %1 移到%2</translation>
    </message>
    <message>
        <source>Save %1 at cut %2</source>
        <translation>在切口 %2 处保存 %1</translation>
    </message>
    <message>
        <source>Do not save %1 at cut %2</source>
        <translation>不在切口 %2 处保存 %1</translation>
    </message>
    <message>
        <source>%1, with %2</source>
        <translation>%1，连带 %2</translation>
    </message>
    <message>
        <source>Pin %1 to function %2</source>
        <translation>将 %1 固定到函数 %2</translation>
    </message>
    <message>
        <source>Unpin %1</source>
        <translation>取消固定 %1</translation>
    </message>
    <message>
        <source>Keep %1 and %2 together</source>
        <translation>将 %1 与 %2 绑定在一起</translation>
    </message>
    <message>
        <source>Let %1 go its own way</source>
        <translation>解除 %1 的绑定</translation>
    </message>
    <message numerus="yes">
        <source>%1 and %n more</source>
        <translation>
            <numerusform>%1 和另外 %n 个算子</numerusform>
        </translation>
    </message>
    <message>
        <source>before message passing %1</source>
        <translation>消息传递 %1 之前</translation>
    </message>
    <message>
        <source>to function %1</source>
        <translation>函数 %1</translation>
    </message>
    <message>
        <source>Run functions %1 and %2 together</source>
        <translation>将函数 %1 和函数 %2 合并运行</translation>
    </message>
    <message>
        <source>Run functions %1 and %2 one after the other</source>
        <translation>将函数 %1 和函数 %2 依次运行</translation>
    </message>
    <message>
        <source>Functions %1 and %2 run together here, but not in %3.</source>
        <translation>此处函数 %1 和函数 %2 合并运行，而在 %3 中不是。</translation>
    </message>
    <message>
        <source>Functions %1 and %2 run together in %3, but not here.</source>
        <translation>在 %3 中函数 %1 和函数 %2 合并运行，而此处不是。</translation>
    </message>
    <message>
        <source>Move cut %1</source>
        <translation>移动切口 %1</translation>
    </message>
    <message>
        <source>Move cut %1: save %2 as well</source>
        <translation>移动切口 %1：另外保存 %2</translation>
    </message>
    <message>
        <source>Move cut %1: no longer save %2</source>
        <translation>移动切口 %1：不再保存 %2</translation>
    </message>
    <message>
        <source>Move cut %1: save %2 instead of %3</source>
        <translation>移动切口 %1：改为保存 %2，不再保存 %3</translation>
    </message>
    <message>
        <source>Restore the plan that was not saved</source>
        <translation>恢复未保存的方案</translation>
    </message>
    <message>
        <source>Batches of a size that Cleave chooses</source>
        <translation>由 Cleave 选择批大小</translation>
    </message>
    <message>
        <source>Batches of %1 nodes</source>
        <translation>每批 %1 个节点</translation>
    </message>
    <message>
        <source>Order of nodes: “%1”</source>
        <translation>节点顺序：“%1”</translation>
    </message>
    <message>
        <source>%1, in batches of %2 nodes</source>
        <translation>%1，每批 %2 个节点</translation>
    </message>
</context>
<context>
    <name>cleave::views::PlanMarks</name>
    <message>
        <source>pinned</source>
        <translation>已固定</translation>
    </message>
    <message>
        <source>together %1</source>
        <translation>绑定组 %1</translation>
    </message>
    <message>
        <source>%1 saved at cut %2</source>
        <translation>%1 在切口 %2 处保存</translation>
    </message>
    <message>
        <source>%1 of %2 ops moved</source>
        <translation>已移动 %1/%2 个算子</translation>
    </message>
</context>
<context>
    <name>cleave::views::PlanMenu</name>
    <message>
        <source>Move %1</source>
        <translation>移到%1</translation>
    </message>
    <message>
        <source>Do not save at cut %1</source>
        <translation>不在切口 %1 处保存</translation>
    </message>
    <message>
        <source>Save at cut %1</source>
        <translation>在切口 %1 处保存</translation>
    </message>
    <message>
        <source>Unpin</source>
        <translation>取消固定</translation>
    </message>
    <message>
        <source>Pin to function %1</source>
        <translation>固定到函数 %1</translation>
    </message>
    <message>
        <source>Keep together with %1</source>
        <translation>与 %1 绑定在一起</translation>
    </message>
    <message>
        <source>Let it go its own way</source>
        <translation>解除绑定</translation>
    </message>
    <message>
        <source>Stays in its function, whatever the plan</source>
        <translation>无论采用什么方案，都留在其函数中</translation>
    </message>
    <message>
        <source>Run functions %1 and %2 one after the other</source>
        <translation>将函数 %1 和函数 %2 依次运行</translation>
    </message>
    <message>
        <source>Run functions %1 and %2 together</source>
        <translation>将函数 %1 和函数 %2 合并运行</translation>
    </message>
    <message>
        <source>Over blocks of one hop more, with nothing saved between them</source>
        <translation>使用多一跳的块，两者之间不保存任何内容</translation>
    </message>
</context>
<context>
    <name>cleave::views::PlanPanel</name>
    <message>
        <source>All on %1</source>
        <translation>全部在 %1 上</translation>
    </message>
    <message>
        <source>Where functions run. Rows that functions on a device hand on to each other stay there</source>
        <translation>函数在哪里运行。同一设备上的函数之间传递的行留在该设备上</translation>
    </message>
    <message>
        <source>On %1 where that is faster</source>
        <translation>更快的函数放到 %1 上</translation>
    </message>
    <message>
        <source>All on the CPU</source>
        <translation>全部在 CPU 上</translation>
    </message>
    <message>
        <source>By the costs nothing would be faster on %1 than it is now.</source>
        <translation>按成本计算，没有函数在 %1 上会比现在更快。</translation>
    </message>
    <message>
        <source>Runs on the CPU</source>
        <translation>在 CPU 上运行</translation>
    </message>
    <message>
        <source>Rates of %1 are assumed: measure them with cleave-cli calibrate --device %1.</source>
        <translation>%1 的速率是假定的：请用 cleave-cli calibrate --device %1 测量。</translation>
    </message>
    <message>
        <source>On %1 at most %2 of rows lie at once; %3 go there and %4 come back.</source>
        <translation>%1 上同时最多存放 %2 的行；传入 %3，传回 %4。</translation>
    </message>
    <message>
        <source>%1 on %2</source>
        <translation>%1（%2）</translation>
    </message>
    <message>
        <source>%1 of %2 functions on %3</source>
        <translation>%2 个函数中有 %1 个在 %3 上</translation>
    </message>
    <message>
        <source>on %1, side by side: blocks %2, rows there %3 (%4), computed %5, rows back %6 (%7)</source>
        <translation>在 %1 上并行进行：块 %2，传入行 %3（%4），计算 %5，传回行 %6（%7）</translation>
    </message>
    <message>
        <source>at most %1 of memory</source>
        <translation>内存峰值 %1</translation>
    </message>
    <message>
        <source>Cost of plans</source>
        <translation>各方案的代价</translation>
    </message>
    <message>
        <source>Double-click a plan to take it</source>
        <translation>双击方案即可采用</translation>
    </message>
    <message>
        <source>Cost of each function</source>
        <translation>各函数的代价</translation>
    </message>
    <message>
        <source>Cut right before each message passing</source>
        <translation>紧挨在每次消息传递之前切分</translation>
    </message>
    <message>
        <source>Take save points that lower the total, one after the other</source>
        <translation>逐个采用能降低总代价的保存点</translation>
    </message>
    <message>
        <source>Save points</source>
        <translation>保存点</translation>
    </message>
    <message>
        <source>This plan</source>
        <translation>此方案</translation>
    </message>
    <message>
        <source>Open a model first.</source>
        <translation>请先打开模型。</translation>
    </message>
    <message>
        <source>Costs are hidden until you ask for them in the story.</source>
        <translation>代价已隐藏，可在讲解中选择显示。</translation>
    </message>
    <message>
        <source>Counting the rows of blocks on the graph…</source>
        <translation>正在统计图上各块的行数…</translation>
    </message>
    <message>
        <source>Open a graph to see what plans cost.</source>
        <translation>打开一个图，即可查看各方案的代价。</translation>
    </message>
    <message>
        <source>Take the plan “%1”</source>
        <translation>采用方案“%1”</translation>
    </message>
    <message>
        <source>All functions together, over blocks of as many hops: the neighbourhood of each batch is computed anew</source>
        <translation>所有函数合并运行，使用同样多跳的块：每个批次的邻域都重新计算</translation>
    </message>
    <message>
        <source>All functions together, in one batch of all nodes</source>
        <translation>所有函数合并运行，全部节点为一个批次</translation>
    </message>
    <message>
        <source>Measure this machine</source>
        <translation>测量本机</translation>
    </message>
    <message>
        <source>Takes some seconds; costs are predicted from what is found, now and later</source>
        <translation>需要几秒钟；今后的开销都按测得的结果预测</translation>
    </message>
    <message>
        <source>%1 (%2)</source>
        <translation>%1（%2）</translation>
    </message>
    <message>
        <source>Predicted for batches of %1 nodes: %2 read, %3 written, at most %4 of memory.</source>
        <translation>按每批 %1 个节点预测：读取 %2，写入 %3，内存最多 %4。</translation>
    </message>
    <message>
        <source>Predicted for batches of %1 rows: %2 read, %3 written, at most %4 of memory.</source>
        <translation>按每批 %1 行预测：读取 %2，写入 %3，内存最多 %4。</translation>
    </message>
    <message>
        <source>Rates of this machine are assumed.</source>
        <translation>本机的速率为假定值。</translation>
    </message>
    <message>
        <source>Take random features</source>
        <translation>采用随机特征</translation>
    </message>
    <message>
        <source>The least predicted seconds of all plans that run one function after the other</source>
        <translation>在依次运行各函数的所有方案中，预测用时最少</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>停止</translation>
    </message>
    <message>
        <source>Stopped: not all plans are compared.</source>
        <translation>已停止：并未比较所有方案。</translation>
    </message>
    <message>
        <source>Go on</source>
        <translation>继续</translation>
    </message>
    <message>
        <source>%1: %2 %</source>
        <translation>%1：%2 %</translation>
    </message>
    <message>
        <source>%1…</source>
        <translation>%1…</translation>
    </message>
    <message>
        <source>Counting the rows of blocks was stopped.</source>
        <translation>块的行数统计已停止。</translation>
    </message>
    <message>
        <source>Rewrite where it pays</source>
        <translation>在划算处重写</translation>
    </message>
    <message>
        <source>Linear layers before aggregations, merged layers and the like: the same answers sooner. What would lose time on this graph is left out</source>
        <translation>例如把线性层移到聚合之前、合并线性层：答案相同，但更快。在此图上会变慢的重写不采用</translation>
    </message>
    <message>
        <source>Select a save point to see what it costs.</source>
        <translation>选择一个保存点以查看它的代价。</translation>
    </message>
    <message>
        <source>One batch holds all nodes, so that plans cost much the same: choose a smaller batch size to see them differ.</source>
        <translation>一个批次就装下全部节点，因此各方案代价几乎相同：选小一些的批大小就能看出差别。</translation>
    </message>
    <message>
        <source>&amp;Message degree</source>
        <translation>消息阶数(&amp;M)</translation>
    </message>
    <message>
        <source>&amp;Greedy</source>
        <translation>贪心(&amp;G)</translation>
    </message>
    <message>
        <source>&amp;Optimal</source>
        <translation>最优(&amp;O)</translation>
    </message>
    <message>
        <source>&amp;Node-wise</source>
        <translation>逐节点(&amp;N)</translation>
    </message>
    <message>
        <source>&amp;Full graph</source>
        <translation>全图(&amp;F)</translation>
    </message>
    <message>
        <source>It is the plan at hand.</source>
        <translation>当前方案即是它。</translation>
    </message>
    <message>
        <source>It is not known yet.</source>
        <translation>尚不知道。</translation>
    </message>
    <message>
        <source>It could not be made on this graph.</source>
        <translation>在此图上无法得出。</translation>
    </message>
    <message>
        <source>%1, too large</source>
        <translation>%1，内存超限</translation>
    </message>
    <message>
        <source>That is more than the %1 that runs may take: choose a smaller batch size, or save less.</source>
        <translation>这超过了运行可用的 %1：请选择更小的批大小，或减少保存点。</translation>
    </message>
</context>
<context>
    <name>cleave::views::PropertyModel</name>
    <message>
        <source>Property</source>
        <translation>属性</translation>
    </message>
    <message>
        <source>Value</source>
        <translation>值</translation>
    </message>
</context>
<context>
    <name>cleave::views::PropertyView</name>
    <message>
        <source>Copy value</source>
        <translation>复制值</translation>
    </message>
</context>
<context>
    <name>cleave::views::ReadProgram</name>
    <message>
        <source>Model</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>as it was read</source>
        <translation>如文件中所读</translation>
    </message>
    <message>
        <source>Inputs</source>
        <translation>输入</translation>
    </message>
    <message>
        <source>Program</source>
        <translation>程序</translation>
    </message>
    <message numerus="yes">
        <source>%n op(s)</source>
        <translation>
            <numerusform>%n 个算子</numerusform>
        </translation>
    </message>
    <message>
        <source>Outputs</source>
        <translation>输出</translation>
    </message>
    <message>
        <source>file</source>
        <translation>文件</translation>
    </message>
    <message>
        <source>class</source>
        <translation>类</translation>
    </message>
    <message>
        <source>operators</source>
        <translation>算子</translation>
    </message>
    <message>
        <source>note</source>
        <translation>备注</translation>
    </message>
    <message>
        <source>for viewing: it was not opened</source>
        <translation>仅供查看：模型未被打开</translation>
    </message>
</context>
<context>
    <name>cleave::views::Report</name>
    <message>
        <source>This plan, with functions on %1</source>
        <translation>此方案，部分函数在 %1 上</translation>
    </message>
    <message>
        <source>%1 there</source>
        <translation>送去 %1</translation>
    </message>
    <message>
        <source>%1 back</source>
        <translation>取回 %1</translation>
    </message>
    <message>
        <source>%1 stay there</source>
        <translation>留在那里 %1</translation>
    </message>
    <message>
        <source>runs on</source>
        <translation>运行于</translation>
    </message>
    <message>
        <source>rows there</source>
        <translation>行送去</translation>
    </message>
    <message>
        <source>computed there</source>
        <translation>在那里计算</translation>
    </message>
    <message>
        <source>rows back</source>
        <translation>行取回</translation>
    </message>
    <message>
        <source>together there</source>
        <translation>在那里合计</translation>
    </message>
    <message>
        <source>CPU</source>
        <translation>CPU</translation>
    </message>
    <message>
        <source>This plan</source>
        <translation>此方案</translation>
    </message>
    <message>
        <source>plan</source>
        <translation>方案</translation>
    </message>
    <message>
        <source>predicted</source>
        <translation>预测</translation>
    </message>
    <message>
        <source>read</source>
        <translation>读取</translation>
    </message>
    <message>
        <source>written</source>
        <translation>写入</translation>
    </message>
    <message>
        <source>at most of memory</source>
        <translation>内存峰值</translation>
    </message>
    <message>
        <source>function</source>
        <translation>函数</translation>
    </message>
    <message>
        <source>blocks</source>
        <translation>建块</translation>
    </message>
    <message>
        <source>compute</source>
        <translation>计算</translation>
    </message>
    <message>
        <source>write</source>
        <translation>写入</translation>
    </message>
    <message>
        <source>together</source>
        <translation>合计</translation>
    </message>
    <message>
        <source>%1, cut by Cleave</source>
        <translation>%1，由 Cleave 切分</translation>
    </message>
    <message>
        <source>Plans</source>
        <translation>方案</translation>
    </message>
    <message>
        <source>Functions of this plan</source>
        <translation>此方案的函数</translation>
    </message>
    <message>
        <source>Save points</source>
        <translation>保存点</translation>
    </message>
    <message>
        <source>Run</source>
        <translation>运行</translation>
    </message>
    <message>
        <source>Verification</source>
        <translation>验证</translation>
    </message>
    <message>
        <source>Accuracy</source>
        <translation>准确率</translation>
    </message>
    <message>
        <source>against this plan</source>
        <translation>与此方案相比</translation>
    </message>
    <message>
        <source>Degrees</source>
        <translation>度</translation>
    </message>
    <message>
        <source>How the numbers were obtained</source>
        <translation>数字的来源</translation>
    </message>
    <message>
        <source>Written</source>
        <translation>写于</translation>
    </message>
    <message>
        <source>Versions</source>
        <translation>版本</translation>
    </message>
    <message>
        <source>Cleave %1, LibTorch %2</source>
        <translation>Cleave %1，LibTorch %2</translation>
    </message>
    <message>
        <source>Predicted for</source>
        <translation>预测条件</translation>
    </message>
    <message>
        <source>batches of %1 nodes</source>
        <translation>每批 %1 个节点</translation>
    </message>
    <message>
        <source>Rates of this machine</source>
        <translation>本机速率</translation>
    </message>
    <message>
        <source>assumed, not measured</source>
        <translation>假定值，未测量</translation>
    </message>
    <message>
        <source>Order of nodes</source>
        <translation>节点顺序</translation>
    </message>
    <message>
        <source>Memory of runs</source>
        <translation>运行的内存</translation>
    </message>
    <message>
        <source>at most %1</source>
        <translation>至多 %1</translation>
    </message>
    <message>
        <source>Run in</source>
        <translation>运行方式</translation>
    </message>
    <message>
        <source>Dense layers</source>
        <translation>稠密层</translation>
    </message>
    <message>
        <source>Random numbers</source>
        <translation>随机数</translation>
    </message>
    <message>
        <source>Verified</source>
        <translation>验证结果</translation>
    </message>
    <message>
        <source>equal, within absolute %1 and relative %2</source>
        <translation>相等，绝对误差 %1 和相对误差 %2 以内</translation>
    </message>
    <message>
        <source>different, by more than absolute %1 and relative %2</source>
        <translation>不同，超出绝对误差 %1 和相对误差 %2</translation>
    </message>
</context>
<context>
    <name>cleave::views::ResultModels</name>
    <message>
        <source>%1 of %2 rows of %3 name others of scores that are equal within tolerance: ties are broken either way.</source>
        <translation>%3 的 %2 行中有 %1 行给出了另一个得分在容差内相等的编号：并列的得分取哪一个都可以。</translation>
    </message>
    <message>
        <source>✓ equal, but for ties</source>
        <translation>✓ 除并列外相等</translation>
    </message>
    <message>
        <source>Not compared alone: %1. %2</source>
        <translation>未单独比较：%1。%2</translation>
    </message>
    <message>
        <source>NOT COMPARED: %1.</source>
        <translation>未比较：%1。</translation>
    </message>
    <message>
        <source>In %1 of %2 functions %3 nodes were compared, by the model&apos;s ops from the save points before it.</source>
        <translation>在 %2 个函数中的 %1 个里比较了 %3 个节点：由模型的算子从之前的保存点算出。</translation>
    </message>
    <message>
        <source>op by op</source>
        <translation>逐算子</translation>
    </message>
    <message numerus="yes">
        <source>%1 of %2 nodes were compared, by the whole model on their neighbourhoods of %n step(s): %3 nodes, %4 edges.</source>
        <translation>
            <numerusform>比较了 %2 个节点中的 %1 个：整个模型在它们的 %n 步邻域上运行，共 %3 个节点、%4 条边。</numerusform>
        </translation>
    </message>
    <message>
        <source>The whole model does not fit into the %1 of memory that are free.</source>
        <translation>整个模型装不进空闲的 %1 内存。</translation>
    </message>
    <message>
        <source>neighbourhoods</source>
        <translation>邻域</translation>
    </message>
    <message>
        <source>Ran on</source>
        <translation>运行于</translation>
    </message>
    <message>
        <source>The processor, or another device</source>
        <translation>处理器，或其他设备</translation>
    </message>
    <message>
        <source>Over the bus</source>
        <translation>总线传输</translation>
    </message>
    <message>
        <source>Bytes to the device and from it</source>
        <translation>传入和传出设备的字节数</translation>
    </message>
    <message>
        <source>CPU</source>
        <translation>CPU</translation>
    </message>
    <message>
        <source>Function</source>
        <translation>函数</translation>
    </message>
    <message>
        <source>Batches</source>
        <translation>批次数</translation>
    </message>
    <message>
        <source>Batches that it ran</source>
        <translation>运行的批次数</translation>
    </message>
    <message>
        <source>Edges</source>
        <translation>边数</translation>
    </message>
    <message>
        <source>Edges of all blocks</source>
        <translation>所有块的边数</translation>
    </message>
    <message>
        <source>Prepare</source>
        <translation>准备</translation>
    </message>
    <message>
        <source>Cutting blocks and slicing structure</source>
        <translation>切出块并截取结构</translation>
    </message>
    <message>
        <source>Compute</source>
        <translation>计算</translation>
    </message>
    <message>
        <source>Running the operators</source>
        <translation>运行算子</translation>
    </message>
    <message>
        <source>Write</source>
        <translation>写入</translation>
    </message>
    <message>
        <source>Storing save points</source>
        <translation>存储保存点</translation>
    </message>
    <message>
        <source>Total</source>
        <translation>总计</translation>
    </message>
    <message>
        <source>Prepare, compute and write together</source>
        <translation>准备、计算与写入之和</translation>
    </message>
    <message>
        <source>Total by the cost model. Rates: %1</source>
        <translation>代价模型给出的总计。速率：%1</translation>
    </message>
    <message>
        <source>Total by the cost model</source>
        <translation>代价模型给出的总计</translation>
    </message>
    <message>
        <source>Saved</source>
        <translation>保存</translation>
    </message>
    <message>
        <source>Bytes written to the store</source>
        <translation>写入存储区的字节数</translation>
    </message>
    <message>
        <source>Together</source>
        <translation>合计</translation>
    </message>
    <message>
        <source>Output</source>
        <translation>输出</translation>
    </message>
    <message>
        <source>Compared</source>
        <translation>比较对象</translation>
    </message>
    <message>
        <source>Difference</source>
        <translation>差异</translation>
    </message>
    <message>
        <source>Largest absolute difference of an element</source>
        <translation>单个元素的最大绝对差异</translation>
    </message>
    <message>
        <source>Relative</source>
        <translation>相对差异</translation>
    </message>
    <message>
        <source>The same relative to the largest element</source>
        <translation>最大绝对差异与最大元素之比</translation>
    </message>
    <message>
        <source>Rows over</source>
        <translation>超出容差的行</translation>
    </message>
    <message>
        <source>Rows with an element over tolerance</source>
        <translation>含有超出容差的元素的行</translation>
    </message>
    <message>
        <source>Result</source>
        <translation>结果</translation>
    </message>
    <message>
        <source>%1 and %2</source>
        <translation>%1与%2</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 / %2</translation>
    </message>
    <message>
        <source>✓ equal</source>
        <translation>✓ 相同</translation>
    </message>
    <message>
        <source>✗ different</source>
        <translation>✗ 不同</translation>
    </message>
    <message>
        <source>Accuracy</source>
        <translation>准确率</translation>
    </message>
    <message>
        <source>Share of these nodes whose largest output is their label</source>
        <translation>这些节点中，最大输出与标签一致的节点所占的比例</translation>
    </message>
    <message>
        <source>%1 %</source>
        <translation>%1%</translation>
    </message>
    <message>
        <source>layer-wise</source>
        <translation>逐层</translation>
    </message>
    <message>
        <source>full graph</source>
        <translation>全图</translation>
    </message>
    <message>
        <source>expected</source>
        <translation>期望</translation>
    </message>
    <message>
        <source>all</source>
        <translation>全部</translation>
    </message>
    <message>
        <source>train</source>
        <translation>训练</translation>
    </message>
    <message>
        <source>validation</source>
        <translation>验证</translation>
    </message>
    <message>
        <source>test</source>
        <translation>测试</translation>
    </message>
    <message>
        <source>Worst rows</source>
        <translation>差异最大的行</translation>
    </message>
    <message>
        <source>Rows over tolerance, those that differ most first</source>
        <translation>超出容差的行，差异最大者在前</translation>
    </message>
    <message>
        <source>%1 rows differ, and other last digits of the inputs move %2, by up to %3: rounding alone, cut or not.</source>
        <translation>有 %1 行不同，而输入的末位数字变动会使 %2 行移动，至多移动 %3：无论切分与否，都只是舍入。</translation>
    </message>
    <message>
        <source>The worst rows differ by %1, and other last digits of the inputs move them by %2: rounding alone, cut or not.</source>
        <translation>最差的行相差 %1，而输入的末位数字变动会使其移动 %2：无论切分与否，都只是舍入。</translation>
    </message>
    <message>
        <source>Other last digits of the inputs move the worst rows by %1 at most: that does not explain it.</source>
        <translation>改变输入的最后一位数字，差异最大的行至多变动 %1：这解释不了差异。</translation>
    </message>
    <message>
        <source>In float64 the uncut model is nearer to the layer-wise answers, which are off by %1 at most, than to its own in %2, off by %3: rounding alone.</source>
        <translation>在 float64 下，未切分模型更接近逐层结果（最多相差 %1），而离它自己的 %2 结果更远（相差 %3）：只是舍入。</translation>
    </message>
    <message>
        <source>✗ different, by rounding</source>
        <translation>✗ 不同，因舍入</translation>
    </message>
    <message>
        <source>Total by the cost model, which does not know what files cost: nothing is predicted within a bound of memory</source>
        <translation>代价模型给出的总计；它不知道文件的代价：内存有上限时不作预测</translation>
    </message>
    <message>
        <source>In float64 the uncut model gives the layer-wise answers; in %1 its long sums are off by %2 in the worst rows.</source>
        <translation>用 float64 计算时，未切分的模型给出的就是逐层的答案；用 %1 时它的长求和在最差的行里偏差 %2。</translation>
    </message>
    <message>
        <source>✓ equal in float64</source>
        <translation>✓ 在 float64 下相等</translation>
    </message>
    <message>
        <source>Rows made</source>
        <translation>产出行</translation>
    </message>
    <message>
        <source>Rows of target nodes that were computed: V in all</source>
        <translation>计算出的目标节点行：总共 V 行</translation>
    </message>
    <message>
        <source>Rows read</source>
        <translation>读取行</translation>
    </message>
    <message>
        <source>E: nodes of all blocks, each counted once per block that needs it</source>
        <translation>E：所有块的节点，每个需要它的块各计一次</translation>
    </message>
    <message>
        <source>Peak memory</source>
        <translation>峰值内存</translation>
    </message>
    <message>
        <source>Most memory at once while it ran: prologue, edges in their order, save points and batches, beside the graph itself</source>
        <translation>运行期间同时占用的最大内存：前导部分、按序排列的边、保存点和批次，不含图本身</translation>
    </message>
    <message>
        <source>Peak memory by the cost model</source>
        <translation>成本模型预测的峰值内存</translation>
    </message>
    <message>
        <source>Predicted total</source>
        <translation>预测总计</translation>
    </message>
    <message>
        <source>Predicted peak</source>
        <translation>预测峰值</translation>
    </message>
</context>
<context>
    <name>cleave::views::ResultPanel</name>
    <message>
        <source>Messages</source>
        <translation>消息</translation>
    </message>
    <message>
        <source>Run</source>
        <translation>运行</translation>
    </message>
    <message>
        <source>Verify</source>
        <translation>验证</translation>
    </message>
    <message>
        <source>Functions of the run</source>
        <translation>本次运行的函数</translation>
    </message>
    <message>
        <source>Differences</source>
        <translation>差异</translation>
    </message>
    <message>
        <source>Accuracy</source>
        <translation>准确率</translation>
    </message>
    <message>
        <source>Open a model first.</source>
        <translation>请先打开模型。</translation>
    </message>
    <message>
        <source>Open a graph to run the model on.</source>
        <translation>打开一个图，即可在其上运行模型。</translation>
    </message>
    <message>
        <source>Nothing has been run yet.</source>
        <translation>尚未运行。</translation>
    </message>
    <message>
        <source>Verify runs the whole model and the cut one and compares their answers.</source>
        <translation>“验证”会运行整个模型和切分后的模型，并比较两者的结果。</translation>
    </message>
    <message>
        <source>Layer-wise with batches of %1 nodes: %2, of which %3 for the prologue.</source>
        <translation>逐层运行，每批 %1 个节点：用时 %2，其中序段 %3。</translation>
    </message>
    <message>
        <source>Layer-wise with batches of %1 rows: %2, of which %3 for the prologue.</source>
        <translation>逐层运行，每批 %1 行：用时 %2，其中序段 %3。</translation>
    </message>
    <message>
        <source> The first time it took %1.</source>
        <translation> 第一次用时 %1。</translation>
    </message>
    <message>
        <source>RANDOM NUMBERS in place of %1, which the graph does not have.</source>
        <translation>注意：图中没有 %1，已用随机数代替。</translation>
    </message>
    <message>
        <source>absolute %1, relative %2</source>
        <translation>绝对 %1，相对 %2</translation>
    </message>
    <message>
        <source>✓ Equal: the cut model gives the same answers within tolerance (%1), at a batch size of %2.</source>
        <translation>✓ 相同：切分后的模型在容差（%1）内给出相同的结果，批大小为 %2。</translation>
    </message>
    <message>
        <source>✗ Different: rows are over tolerance (%1), at a batch size of %2.</source>
        <translation>✗ 不同：有行超出容差（%1），批大小为 %2。</translation>
    </message>
    <message>
        <source> At most %1 was resident, of %2 allowed: the rest lay in files.</source>
        <translation> 常驻内存至多 %1，允许 %2：其余放在文件中。</translation>
    </message>
    <message>
        <source> At most %1 was resident, of %2 allowed.</source>
        <translation> 常驻内存至多 %1，允许 %2。</translation>
    </message>
    <message>
        <source> Memory ran short: some batches were halved.</source>
        <translation> 内存不足：部分批次被减半。</translation>
    </message>
    <message>
        <source>The functions took %1 what was predicted: other programs may have been running, or this plan is priced wrongly.</source>
        <translation>各函数用时为预测的 %1：可能同时有其他程序在运行，或者该方案的估价有误。</translation>
    </message>
    <message>
        <source>%1 of %2 rows of %3 have NaN or infinite numbers, in both.</source>
        <translation>%3 的 %2 行中有 %1 行在两者中都含有 NaN 或无穷大。</translation>
    </message>
    <message>
        <source> At most %1 of memory at once beside the graph, where %2 were predicted.</source>
        <translation>图本身之外同时最多占用 %1 内存，预测为 %2。</translation>
    </message>
    <message>
        <source> At most %1 of memory at once beside the graph.</source>
        <translation>图本身之外同时最多占用 %1 内存。</translation>
    </message>
    <message>
        <source>✗ Different from the expected outputs (%1), at a batch size of %2; the cut model gives the answers of the uncut one.</source>
        <translation>✗ 与预期输出不同（%1），批大小为 %2；切分后的模型与未切分的模型答案相同。</translation>
    </message>
    <message>
        <source>From before a change:</source>
        <translation>更改之前的结果：</translation>
    </message>
</context>
<context>
    <name>cleave::views::Ruler</name>
    <message>
        <source>Bands of the model</source>
        <translation>模型的带</translation>
    </message>
</context>
<context>
    <name>cleave::views::SavePointModel</name>
    <message>
        <source>not saved</source>
        <translation>不保存</translation>
    </message>
    <message>
        <source>not known</source>
        <translation>未知</translation>
    </message>
    <message>
        <source>%1 = %2</source>
        <translation>%1 = %2</translation>
    </message>
    <message>
        <source>%1: %2 written in %3.</source>
        <translation>%1：写入 %2，用时 %3。</translation>
    </message>
    <message>
        <source>%1: %2, handed on without a copy.</source>
        <translation>%1：%2，直接传递，不复制。</translation>
    </message>
    <message>
        <source>Read at the %1 targets of %2: %3 in %4.</source>
        <translation>%2 在 %1 个目标节点处读取 %3，用时 %4。</translation>
    </message>
    <message>
        <source>Read for the %1 nodes of blocks of %2: %3 in %4.</source>
        <translation>%2 为块中的 %1 个节点读取 %3，用时 %4。</translation>
    </message>
    <message>
        <source>Read along the %1 edges of %2: %3 in %4.</source>
        <translation>%2 沿 %1 条边读取 %3，用时 %4。</translation>
    </message>
    <message>
        <source>It cannot be left out.</source>
        <translation>不能去掉此保存点。</translation>
    </message>
    <message>
        <source>Cut %1</source>
        <translation>切口 %1</translation>
    </message>
    <message>
        <source>Save point</source>
        <translation>保存点</translation>
    </message>
    <message>
        <source>Where</source>
        <translation>位置</translation>
    </message>
    <message>
        <source>Shape</source>
        <translation>形状</translation>
    </message>
    <message>
        <source>Bytes</source>
        <translation>字节数</translation>
    </message>
    <message>
        <source>Without it the plan takes %1 instead of %2 (%3).</source>
        <translation>不保存它时，此方案需要 %1，而不是 %2（%3）。</translation>
    </message>
    <message>
        <source>handed on</source>
        <translation>直接传递</translation>
    </message>
    <message>
        <source>%1 × %2</source>
        <translation>%1 × %2</translation>
    </message>
    <message>
        <source>no time of its own</source>
        <translation>不另占时间</translation>
    </message>
    <message>
        <source>stays</source>
        <translation>保留</translation>
    </message>
    <message>
        <source>Unchecked, it is not saved there: ops move, and other tensors may have to be saved instead</source>
        <translation>取消勾选后不再存于该处：运算随之移动，可能改存其他张量</translation>
    </message>
    <message>
        <source>Made above this cut, and read below it</source>
        <translation>在此切口之上产生，在其之下读取</translation>
    </message>
    <message>
        <source>V: the rows of all nodes</source>
        <translation>V：所有节点的行</translation>
    </message>
    <message>
        <source>Of the rows of all nodes in the store</source>
        <translation>存储中所有节点的行的字节数</translation>
    </message>
    <message>
        <source>Time to write it where it is made, and to read it right below this cut. Handed on: neither takes time of its own. Stays: read further below</source>
        <translation>在产生处写入、在此切口正下方读取所用的时间。直接传递：写入和读取都不另花时间。保留：在更下方读取</translation>
    </message>
    <message>
        <source>Time</source>
        <translation>时间</translation>
    </message>
</context>
<context>
    <name>cleave::views::SettingsDialog</name>
    <message>
        <source>Open the last model and graph at &amp;start</source>
        <translation>启动时打开上次的模型和图(&amp;S)</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>设置</translation>
    </message>
    <message>
        <source>As the desktop</source>
        <translation>跟随系统</translation>
    </message>
    <message>
        <source>Light</source>
        <translation>浅色</translation>
    </message>
    <message>
        <source>Dark</source>
        <translation>深色</translation>
    </message>
    <message>
        <source>High contrast</source>
        <translation>高对比度</translation>
    </message>
    <message>
        <source>As the desktop (%1)</source>
        <translation>跟随系统 (%1)</translation>
    </message>
    <message>
        <source>kB, MB, GB: powers of 1000</source>
        <translation>kB、MB、GB：1000 的幂</translation>
    </message>
    <message>
        <source>KiB, MiB, GiB: powers of 1024</source>
        <translation>KiB、MiB、GiB：1024 的幂</translation>
    </message>
    <message>
        <source> pt</source>
        <translation> pt</translation>
    </message>
    <message>
        <source>The language changes at the next start.</source>
        <translation>语言更改将在下次启动时生效。</translation>
    </message>
    <message>
        <source>&amp;Theme</source>
        <translation>主题(&amp;T)</translation>
    </message>
    <message>
        <source>&amp;Language</source>
        <translation>语言(&amp;L)</translation>
    </message>
    <message>
        <source>Text si&amp;ze</source>
        <translation>文字大小(&amp;Z)</translation>
    </message>
    <message>
        <source>&amp;Bytes</source>
        <translation>字节单位(&amp;B)</translation>
    </message>
</context>
<context>
    <name>cleave::views::StagedModel</name>
    <message>
        <source>Stage %1</source>
        <translation>阶段 %1</translation>
    </message>
    <message>
        <source>No stages</source>
        <translation>无阶段</translation>
    </message>
    <message>
        <source>none</source>
        <translation>无</translation>
    </message>
    <message>
        <source>nodes</source>
        <translation>节点</translation>
    </message>
    <message>
        <source>forward</source>
        <translation>前向</translation>
    </message>
    <message>
        <source>backward</source>
        <translation>反向</translation>
    </message>
    <message>
        <source>parameters</source>
        <translation>参数</translation>
    </message>
    <message numerus="yes">
        <source>%n node(s)</source>
        <translation>
            <numerusform>%n 个节点</numerusform>
        </translation>
    </message>
    <message>
        <source>forward %1</source>
        <translation>前向 %1</translation>
    </message>
    <message>
        <source>backward %1</source>
        <translation>反向 %1</translation>
    </message>
    <message>
        <source>parameters %1</source>
        <translation>参数 %1</translation>
    </message>
    <message>
        <source>Handed on</source>
        <translation>传递</translation>
    </message>
    <message numerus="yes">
        <source>%n tensor(s)</source>
        <translation>
            <numerusform>%n 个张量</numerusform>
        </translation>
    </message>
    <message>
        <source>Handed on by stage %1</source>
        <translation>由阶段 %1 传递</translation>
    </message>
    <message>
        <source>Node in stage %1</source>
        <translation>阶段 %1 中的节点</translation>
    </message>
    <message>
        <source>Node</source>
        <translation>节点</translation>
    </message>
    <message>
        <source>name</source>
        <translation>名称</translation>
    </message>
    <message>
        <source>description</source>
        <translation>描述</translation>
    </message>
    <message>
        <source>activations</source>
        <translation>激活</translation>
    </message>
    <message>
        <source>Edges</source>
        <translation>边</translation>
    </message>
    <message>
        <source>reads</source>
        <translation>读取</translation>
    </message>
    <message>
        <source>nothing</source>
        <translation>无</translation>
    </message>
    <message>
        <source>read by</source>
        <translation>被读取</translation>
    </message>
    <message>
        <source>Profile graph</source>
        <translation>性能图</translation>
    </message>
    <message>
        <source>file</source>
        <translation>文件</translation>
    </message>
    <message>
        <source>stages</source>
        <translation>阶段</translation>
    </message>
    <message>
        <source>note</source>
        <translation>说明</translation>
    </message>
    <message>
        <source>for viewing: it holds no program</source>
        <translation>仅供查看：不含程序</translation>
    </message>
    <message>
        <source>hands on</source>
        <translation>传递</translation>
    </message>
</context>
<context>
    <name>cleave::views::Story</name>
    <message>
        <source>Your turn: where would you cut?</source>
        <translation>轮到你了：你会在哪里切？</translation>
    </message>
    <message>
        <source>A club and its friendships</source>
        <translation>俱乐部与朋友关系</translation>
    </message>
    <message>
        <source>One layer: ask your friends</source>
        <translation>一层：问问朋友</translation>
    </message>
    <message>
        <source>Node by node: the same rows again and again</source>
        <translation>逐节点：同样的行算了又算</translation>
    </message>
    <message>
        <source>The idea: cut between the layers</source>
        <translation>思路：在层与层之间切开</translation>
    </message>
    <message>
        <source>Function %1, batch %2 of %3</source>
        <translation>函数 %1，第 %2 批，共 %3 批</translation>
    </message>
    <message>
        <source>How the work grows with the layers</source>
        <translation>计算量随层数的变化</translation>
    </message>
    <message>
        <source>Node by node, every further layer makes the needed neighbourhood larger, until each batch computes the whole club again. Layer by layer, every further layer adds the same: each member once. Either way each row is computed from the same rows, so the answers are equal. The price is the store: one saved row for each member. For the answers of a few members only, node by node can be cheaper.</source>
        <translation>逐节点计算时，每多一层，需要的邻域就更大，直到每一批都要把整个俱乐部重新计算一遍。逐层计算时，每多一层，增加的计算量都一样：每位成员一次。两种做法中，每一行都由同样的行算出，所以答案相同。代价是存储区：要为每位成员保存一行。如果只要少数几位成员的答案，逐节点可能更省。</translation>
    </message>
    <message>
        <source>A layer computes a new row for a member from the rows of the member&apos;s friends and the member&apos;s own. Each friend sends a row along the line: a message. The messages are added up, or their mean is taken. For member %1 two rows are read: that of the one friend and the member&apos;s own.</source>
        <translation>一层会根据朋友们的行和成员自己的行，为成员计算新的一行。每位朋友沿着线送来一行：这就是消息。消息会相加，或者取平均。对于成员 %1，要读取两行：唯一一位朋友的行和成员自己的行。</translation>
    </message>
    <message>
        <source>With %1 layers, the friends&apos; rows must first be computed from their friends&apos; rows. For this one answer %2 rows are computed, out of the features of %3 of all %4 members.</source>
        <translation>要算 %1 层，必须先由朋友的朋友们的行算出朋友们的行。仅为这一个答案，就要由全部 %4 位成员中 %3 位的特征算出 %2 行。</translation>
    </message>
    <message>
        <source>The usual way takes some members at a time, a batch of %1 here, and computes all that their answers need, through %2 layers: for these members the rows of %3 in the layer before. The next batch needs most of those once more, but they were not kept. For the whole club %4 rows are computed, though no more than %2 × %5 = %6 are different ones.</source>
        <translation>通常的做法是每次取一部分成员，这里一批 %1 位，从头到尾经过全部 %2 层，计算他们的答案所需的一切：为这些成员，要在前一层计算 %3 位成员的行。下一批又要用到其中的大部分，可这些行没有留下。整个俱乐部总共要计算 %4 行，而互不相同的不过 %2 × %5 = %6 行。</translation>
    </message>
    <message>
        <source>Compute the first layer for everybody, and save the rows. Then the second layer for everybody, from what was saved. No saved row is computed twice, and a batch never needs more than its direct friends. So the model is cut into functions, the bands beside: function 1 computes layer 1, and so on; function 0 prepares each member&apos;s features. The lines between them are the cuts, and what lies on a line is saved there: the save points.</source>
        <translation>先为所有成员计算第一层，并保存这些行；再由保存的行，为所有成员计算第二层。保存过的行不会计算两次，每一批也只需要直接相连的朋友。于是模型被切成若干函数，即旁边的区带：函数 1 计算第 1 层，依此类推；函数 0 准备每位成员的特征。它们之间的线就是切口，落在线上的数据在那里保存：这就是保存点。</translation>
    </message>
    <message>
        <source>Compute the first layer for everybody, and save the rows. Then the second layer for everybody, from what was saved. No saved row is computed twice, and a batch never needs more than its direct friends. So the model is cut into functions, the bands beside, of which some compute a layer each; others prepare rows, or look at those of everybody at once. The lines between them are the cuts, and what lies on a line is saved there: the save points.</source>
        <translation>先为所有成员计算第一层，并保存这些行；再由保存的行，为所有成员计算第二层。保存过的行不会计算两次，每一批也只需要直接相连的朋友。于是模型被切成若干函数，即旁边的区带：其中一些各计算一层，另一些准备数据行，或一次查看所有成员的行。它们之间的线就是切口，落在线上的数据在那里保存：这就是保存点。</translation>
    </message>
    <message>
        <source>Reads what was prepared for %1 members, these %2 and %3 friends of theirs, computes %2 rows of layer 1, and saves them.</source>
        <translation>读取为 %1 位成员准备好的数据，包括这 %2 位和他们的 %3 位朋友，计算第 1 层的 %2 行，并保存。</translation>
    </message>
    <message>
        <source>Reads the saved rows of %1 members from store %2, of these %3 and of %4 friends, computes %3 rows of layer %5, and saves them.</source>
        <translation>从存储区 %2 读取 %1 位成员已保存的行，包括这 %3 位和 %4 位朋友，计算第 %5 层的 %3 行，并保存。</translation>
    </message>
    <message>
        <source>Store 1 is full: all rows of layer 1, each computed once.</source>
        <translation>存储区 1 已经填满：第 1 层的所有行都在这里，每行只计算了一次。</translation>
    </message>
    <message>
        <source>Store %1 is full, and store %2 is not needed any more.</source>
        <translation>存储区 %1 已经填满，存储区 %2 不再需要了。</translation>
    </message>
    <message>
        <source>These are the %1 members of a karate club; a line joins two friends. The club is about to split, and a graph neural network shall say for each member which half they will join. What it is given is a row of numbers for each member, such as age and years in the club: the features. The club is small enough to draw; the model beside does the same on a graph of its own, which may be a million times larger.</source>
        <translation>这是一家空手道俱乐部的 %1 位成员，每条线连接两位朋友。俱乐部即将分裂，图神经网络要说出每位成员会加入哪一半。它得到的是每位成员的一行数字，比如年龄和入会年数：这就是特征。俱乐部小到可以画出来；旁边的模型在它自己的图上做同样的事，那张图可能大一百万倍。</translation>
    </message>
    <message>
        <source>These are the answers of the whole network, for everybody. %1 rows were computed in all; node by node it would have been %2.</source>
        <translation>这就是整个网络为所有成员给出的答案。总共计算了 %1 行；逐节点则要 %2 行。</translation>
    </message>
    <message>
        <source>Between two layers&apos; messages there are other operations: linear layers, activations, normalisation. The cut may lie above or below each of them. An operation above the cut runs once for each node. Below it, it runs for every row that a batch reads, so once more for each batch that reads the same node; but what lies on the cut, and must be written and read back, may be narrower. Drag the lines of the cuts in the model, or its boxes from one band into the next, to where you think the whole takes least time. Times are hidden until you ask. &quot;Set an exercise&quot; moves the cuts to where they cost more than they need, and takes small batches.</source>
        <translation>两层的消息之间还有其他算子：线性层、激活函数、归一化。切口可以在其中每一个的上方或下方。切口上方的算子对每个节点只运行一次；放在下方，它就要对每一批读取的每一行运行，同一个节点被几批读取，就算几次。但这样一来，切口上要写入再读回的数据可能更窄。请拖动模型中的切口线，或把方框从一个区带拖到下一个，放到你认为总用时最短的位置。用时暂时隐藏，由你选择何时显示。“出一道练习”会把切口移到用时多于所需的位置，并改用较小的批次。</translation>
    </message>
    <message>
        <source>2 layers: friends of friends</source>
        <translation>2 层：朋友的朋友</translation>
    </message>
    <message>
        <source>%1 layers: members up to %1 friendships away</source>
        <translation>%1 层：最多相隔 %1 层友谊的成员</translation>
    </message>
</context>
<context>
    <name>cleave::views::StoryCanvas</name>
    <message>
        <source>Data graph of the story</source>
        <translation>讲解用的数据图</translation>
    </message>
    <message>
        <source>answers</source>
        <translation>答案</translation>
    </message>
    <message>
        <source>store %1</source>
        <translation>存储区 %1</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 / %2</translation>
    </message>
    <message>
        <source>%1 layers</source>
        <translation>%1 层</translation>
    </message>
    <message>
        <source>Rows computed for everybody, in batches of %1</source>
        <translation>为所有成员计算的行数，每批 %1 位成员</translation>
    </message>
    <message>
        <source>1 layer</source>
        <translation>1 层</translation>
    </message>
    <message>
        <source>hatched: node by node · plain: layer by layer</source>
        <translation>斜线：逐节点 · 纯色：逐层</translation>
    </message>
    <message>
        <source>computed:</source>
        <translation>计算：</translation>
    </message>
    <message>
        <source>layer %1</source>
        <translation>第 %1 层</translation>
    </message>
    <message>
        <source>read</source>
        <translation>读取</translation>
    </message>
</context>
<context>
    <name>cleave::views::StoryView</name>
    <message>
        <source>Bac&amp;k</source>
        <translation>上一步(&amp;K)</translation>
    </message>
    <message>
        <source>&amp;Next</source>
        <translation>下一步(&amp;N)</translation>
    </message>
    <message>
        <source>Reveal the &amp;costs</source>
        <translation>显示代价(&amp;C)</translation>
    </message>
    <message>
        <source>Show the opti&amp;mum</source>
        <translation>显示最优方案(&amp;M)</translation>
    </message>
    <message>
        <source>Step of the story</source>
        <translation>讲解的步骤</translation>
    </message>
    <message>
        <source>Take the optimum</source>
        <translation>采用最优方案</translation>
    </message>
    <message>
        <source>%1 of %2</source>
        <translation>%1 / %2</translation>
    </message>
    <message>
        <source>Open a model and a graph first: costs are those of a real graph.</source>
        <translation>请先打开模型和图：代价要在真实的图上计算。</translation>
    </message>
    <message>
        <source>You have found it.</source>
        <translation>你找到了最优方案。</translation>
    </message>
    <message>
        <source>Once the costs are revealed</source>
        <translation>显示代价之后可用</translation>
    </message>
    <message>
        <source>On this graph, in batches of this size, all of them take about as long: smaller batches or a larger graph tell them apart.</source>
        <translation>在这张图上、以这样的批大小，它们用时都差不多：更小的批或更大的图才能区分。</translation>
    </message>
    <message>
        <source>Yours: %1. Right before each message passing: %2. The best cut: %3.</source>
        <translation>你的方案：%1。紧靠每次消息传递之前切分：%2。最佳切分：%3。</translation>
    </message>
    <message>
        <source>You have not moved anything: yours is the cut that was there.</source>
        <translation>你没有移动任何东西：你的方案就是原来的切分。</translation>
    </message>
    <message>
        <source>&amp;Set an exercise</source>
        <translation>出一道练习(&amp;S)</translation>
    </message>
    <message>
        <source>Every cut as far from the message passing as it goes, in small batches. One step of undo</source>
        <translation>把每个切口都移到离消息传递最远的位置，并用小批次。可一步撤销</translation>
    </message>
    <message>
        <source>Set an exercise</source>
        <translation>出一道练习</translation>
    </message>
    <message>
        <source>Yours against the best cut: %1.</source>
        <translation>你的方案与最佳切分相比：%1。</translation>
    </message>
    <message>
        <source>Yours took %1. Right before each message passing: %2. The best cut, which is shown now: %3.</source>
        <translation>你的方案用时 %1。紧靠每次消息传递之前切分：%2。最佳切分（现在显示的）：%3。</translation>
    </message>
    <message>
        <source>Story</source>
        <translation>讲解</translation>
    </message>
</context>
<context>
    <name>cleave::views::TableCopying</name>
    <message>
        <source>Copy</source>
        <translation>复制</translation>
    </message>
    <message>
        <source>Copy table</source>
        <translation>复制整个表格</translation>
    </message>
</context>
<context>
    <name>cleave::views::TablePanel</name>
    <message>
        <source>Operators of the model</source>
        <translation>模型的算子</translation>
    </message>
    <message>
        <source>Costs of the plan</source>
        <translation>方案的代价</translation>
    </message>
    <message>
        <source>Operators</source>
        <translation>算子</translation>
    </message>
    <message>
        <source>Costs</source>
        <translation>代价</translation>
    </message>
    <message>
        <source>prologue</source>
        <translation>序段</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>名称</translation>
    </message>
    <message>
        <source>Operator</source>
        <translation>算子</translation>
    </message>
    <message>
        <source>Module</source>
        <translation>模块</translation>
    </message>
    <message>
        <source>Function</source>
        <translation>函数</translation>
    </message>
    <message>
        <source>of the plan</source>
        <translation>此方案中的函数</translation>
    </message>
    <message>
        <source>Message degree</source>
        <translation>消息阶数</translation>
    </message>
    <message>
        <source>Rows</source>
        <translation>行</translation>
    </message>
    <message>
        <source>Shape</source>
        <translation>形状</translation>
    </message>
    <message>
        <source>Reads</source>
        <translation>读取</translation>
    </message>
    <message>
        <source>This plan</source>
        <translation>此方案</translation>
    </message>
    <message>
        <source>Function or plan</source>
        <translation>函数或方案</translation>
    </message>
    <message>
        <source>Blocks</source>
        <translation>建块</translation>
    </message>
    <message>
        <source>neighbours found, structure sliced</source>
        <translation>查找邻居，截取结构</translation>
    </message>
    <message>
        <source>Read</source>
        <translation>读取</translation>
    </message>
    <message>
        <source>Compute</source>
        <translation>计算</translation>
    </message>
    <message>
        <source>Write</source>
        <translation>写入</translation>
    </message>
    <message>
        <source>Together</source>
        <translation>合计</translation>
    </message>
    <message>
        <source>Bytes read</source>
        <translation>读取字节数</translation>
    </message>
    <message>
        <source>Bytes written</source>
        <translation>写入字节数</translation>
    </message>
    <message>
        <source>At most of memory</source>
        <translation>内存峰值</translation>
    </message>
    <message>
        <source>output</source>
        <translation>输出</translation>
    </message>
    <message>
        <source>before %1</source>
        <translation>在 %1 之前</translation>
    </message>
</context>
<context>
    <name>cleave::views::Text</name>
    <message>
        <source>%1 %2</source>
        <comment>a number and its unit</comment>
        <translation>%1 %2</translation>
    </message>
    <message>
        <source>%1 B</source>
        <translation>%1 B</translation>
    </message>
    <message>
        <source>the same</source>
        <translation>相同</translation>
    </message>
    <message>
        <source>%1 times</source>
        <translation>%1 倍</translation>
    </message>
    <message>
        <source>%1 %</source>
        <comment>per cent</comment>
        <translation>%1%</translation>
    </message>
</context>
</TS>
